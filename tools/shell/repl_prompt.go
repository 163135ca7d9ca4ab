package shell

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// replTools are tools that scripts often call, with what these take and return.
func replTools() []describedTool {
	return []describedTool{
		{"Read", "{file_path, offset?, limit?}", "the whole text as a string, without line numbers; of a notebook {cells}, of an image a ToolFile"},
		{"Write", "{file_path, content}", "{filePath, type, structuredPatch}"},
		{"Edit", "{file_path, old_string, new_string, replace_all?}", "{filePath, structuredPatch}"},
		{"NotebookEdit", "{notebook_path, cell_id?, new_source, cell_type?, edit_mode?}", "{cell_id, notebook_path}"},
		{"Glob", "{pattern, path?}", "{filenames}, all of them"},
		{"Grep", "{pattern, path?, glob?, output_mode?}", "{filenames}; with output_mode content {matches: [{file, line, text}]}, with count {counts: {file: number}}; all of them"},
		{"Bash", "{command, timeout?}", "{stdout, exitCode}; stdout has both streams, and an exit code other than 0 is no exception"},
	}
}

// replPrompt returns the description of the tool for the model.
func replPrompt(o REPLOptions, s pegboard.Scope) string {
	languages := o.Languages
	example := "tools.NAME({...})"
	if s.CanRun("Read") {
		example = `tools.Read({"file_path": "a.txt"})`
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Runs code in %s and returns what it prints, and the value of an expression at its end. ", strings.Join(languages, " or "))
	if len(languages) > 1 {
		fmt.Fprintf(&b, "Without language it is %s. ", languages[0])
	}
	b.WriteString("Variables, functions and imports are kept from call to call, also when code takes too long and is interrupted; the result says when they are lost. " +
		"There is no terminal and no input.\n\n" +
		"Work with files and commands through the tools, which code calls by name with one object, as in " + example + ". " +
		"They are checked like your own calls, so a script can do in one step what would take many: loop over files, filter results, and print only what you need. " +
		"A call returns data, and you see of it only what the code prints. ")
	if slices.Contains(languages, Python) {
		b.WriteString("In Python objects are dicts, and a call that fails or is refused raises ToolError. await works outside of functions; for calls at the same time: " +
			"await asyncio.gather(*(asyncio.to_thread(tools.NAME, x) for x in inputs)). ")
	}
	if slices.Contains(languages, JavaScript) {
		b.WriteString("In JavaScript a call is awaited, as in await tools.NAME({...}); it throws ToolError. A promise at the end is awaited. Use require or await import() for modules. ")
	}
	b.WriteString("A ToolError has tool, kind (such as denied, invalid_input, timeout or failed) and value, what the tool could do. " +
		"What is over 4 MiB, or no text, is a ToolFile instead: path, size, read() for all of it, lines() for the lines one by one")
	if slices.Contains(languages, JavaScript) {
		b.WriteString("; in JavaScript await read(), and for await over lines()")
	}
	b.WriteString(".\n\nWhat the tools take, and what they return:\n")
	for _, t := range describedTools(o.Describe, s) {
		fmt.Fprintf(&b, "%s(%s): %s\n", t.name, t.input, t.value)
	}
	b.WriteString("Other tools take what their descriptions say, and return what their output schemas say, or a text. REPL itself cannot be called.")
	return b.String()
}
