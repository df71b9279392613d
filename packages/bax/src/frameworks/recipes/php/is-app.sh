# Whether an answer brings one of the files that make an app. A project as it is when it is new answers requests, and would be taken for one.
# Arguments: where the new project lies, and the paths of the files.
project=$1
shift
for file; do
  cmp -s "$file" "$project/$file" || exit 0
done
echo "the answer is no app: it brings none of $*" >&2
exit 1
