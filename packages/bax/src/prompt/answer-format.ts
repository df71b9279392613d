/** How a model is asked to hand over a single file. */
export const ONE_FILE_FORMAT = `
Answer with the complete source code in this form:
<CODE>
the whole file
</CODE>
Write nothing before or after it.
For example:
<CODE>
def greet():
    return "hello"
</CODE>
`;

/** How a model is asked to hand over several files. Part of the instructions of frameworks that need it. */
export const SEVERAL_FILES_FORMAT = `
Answer with every file that you add or change, each in this form:
<FILEPATH>
path of the file
</FILEPATH>
<CODE>
the whole file
</CODE>

For example:
<FILEPATH>
some/folder/greeting.py
</FILEPATH>
<CODE>
def greet():
    return "hello"
</CODE>

`;

export function oneFileRule(file: string): string {
  return `The whole app must be in the single file ${file}: there are no others beside it.`;
}
