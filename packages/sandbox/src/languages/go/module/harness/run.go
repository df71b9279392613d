// Package harness calls the function of a submission, one case after the other. See run-tests/driver-protocol.ts.
package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"runtime/debug"
)

const mostStackBytes = 64 << 20

// Type is a type of a signature; see protocol/type-signature.
type Type struct {
	Kind string `json:"kind"`
	Of   *Type  `json:"of"`
}

type greeting struct {
	Nonce   string `json:"nonce"`
	Returns *Type  `json:"returns"`
}

type request struct {
	ID    string          `json:"id"`
	Input json.RawMessage `json:"input"`
}

// Run answers requests until there are no more.
func Run(target interface{}) {
	debug.SetMaxStack(mostStackBytes)
	answers, requests := os.NewFile(3, "answers"), bufio.NewReaderSize(os.NewFile(4, "requests"), 1<<16)
	line, err := requests.ReadBytes('\n')
	var hello greeting
	if err != nil || json.Unmarshal(line, &hello) != nil {
		os.Exit(1)
	}
	say := func(word, text string) {
		fmt.Fprintf(answers, "\n%s %s %s\n", hello.Nonce, word, text)
	}
	say("started", "{}")
	function := reflect.ValueOf(target)
	if function.Kind() != reflect.Func {
		say("refused", `{"reason":"what the submission defines is no function"}`)
		os.Exit(0)
	}
	say("loaded", "{}")
	for {
		line, err := requests.ReadBytes('\n')
		var next request
		if err != nil || json.Unmarshal(line, &next) != nil {
			os.Exit(0)
		}
		say(next.ID, outcome(function, next.Input, hello.Returns))
	}
}

// outcome runs the call in a goroutine of its own, which the submission may end.
func outcome(function reflect.Value, input json.RawMessage, returns *Type) string {
	result := make(chan string, 1)
	go func() {
		text := `{"failed":"it ended its goroutine"}`
		defer func() {
			if cause := recover(); cause != nil {
				text = thrown("panic", describe(cause))
			}
			result <- text
		}()
		text = call(function, input, returns)
	}()
	return <-result
}

func describe(cause interface{}) string {
	if err, ok := cause.(error); ok {
		return err.Error()
	}
	return fmt.Sprint(cause)
}

func thrown(name, message string) string {
	if len(message) > 10000 {
		message = message[:10000]
	}
	return fmt.Sprintf(`{"thrown":{"name":%s,"message":%s}}`, quote(name), quote(message))
}

func failed(reason string) string {
	return fmt.Sprintf(`{"failed":%s}`, quote(reason))
}

func call(function reflect.Value, input json.RawMessage, returns *Type) string {
	arguments, err := decodeArguments(function.Type(), input)
	if err != nil {
		return failed(err.Error())
	}
	var results []reflect.Value
	if function.Type().IsVariadic() && len(arguments) == function.Type().NumIn() {
		results = function.CallSlice(arguments)
	} else {
		results = function.Call(arguments)
	}
	return answer(results, returns)
}

var errorType = reflect.TypeOf((*error)(nil)).Elem()

func answer(results []reflect.Value, returns *Type) string {
	if last := len(results) - 1; last >= 0 && results[last].Type() == errorType {
		if !results[last].IsNil() {
			err := results[last].Interface().(error)
			return thrown(errorName(err), err.Error())
		}
		results = results[:last]
	}
	encoder := &encoder{room: mostCharacters}
	var err error
	switch {
	case len(results) == 0:
		encoder.put("null")
	case len(results) == 1:
		err = encoder.value(results[0], returns, 0)
	case len(results) == 2 && results[1].Kind() == reflect.Bool && returns != nil && returns.Kind == "optional":
		if results[1].Bool() {
			err = encoder.value(results[0], returns.Of, 0)
		} else {
			encoder.put("null")
		}
	default:
		err = encoder.list(len(results), func(index int) reflect.Value { return results[index] }, elementOf(returns), 0)
	}
	if err == nil {
		err = encoder.err
	}
	if err != nil {
		return failed("the result cannot be taken: " + err.Error())
	}
	return `{"returned":` + encoder.text.String() + `}`
}

// errorName is empty of meaning for the errors that the standard library makes of a text.
func errorName(err error) string {
	kind := reflect.TypeOf(err)
	if kind.Kind() == reflect.Ptr {
		kind = kind.Elem()
	}
	if kind.PkgPath() == "errors" || kind.PkgPath() == "fmt" || kind.Name() == "" {
		return "error"
	}
	return kind.Name()
}
