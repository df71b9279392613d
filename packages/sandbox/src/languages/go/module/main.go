package main

import (
	"assay/harness"
	"assay/submission"
)

func main() {
	harness.Run(submission.AssayTarget())
}
