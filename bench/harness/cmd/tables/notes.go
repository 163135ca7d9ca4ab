package main

// notes describe the measurement and the checks of each case that prints no note itself.
var notes = map[string]string{
	"Export100/pegboard":             "the request's tools by wire/anthropic, from bytes that were encoded once",
	"Export100/floor-cached-bytes":   "append of definitions that were encoded once",
	"Export100/floor-marshal-map":    "json.Marshal of name, description and a decoded schema, each time",
	"Export100/eino-tool":            "encoded anew each time",
	"Export100/genkit-tool":          "encoded anew each time",
	"Export100/anthropic-tool":       "encoded anew each time",
	"Export100/langchaingo-executor": "encoded anew each time",
	"Export100/mcp-gosdk":            "the round trip of tools/list",
	"Export100/mcp-gosdk-marshal":    "the encoding alone, anew each time",
	"Export100/mcp-mcpgo":            "the round trip of tools/list",
	"Export100/mcp-mcpgo-marshal":    "the encoding alone, anew each time",

	"Assemble1050/pegboard-cold":      "the first pool of a registry: rules, gates, order, duplicates; at least 1,050 tools are in it",
	"Assemble1050/pegboard-changed":   "one server sends another list of 20 tools; its Attach is included",
	"Assemble1050/pegboard-unchanged": "nothing has changed",

	"FiveCommands/pegboard-10rules":   "five commands under 10 rules: strict decode, parse, a decision for each; all must be allowed",
	"FiveCommands/pegboard-100rules":  "five commands under 100 rules: strict decode, parse, a decision for each; all must be allowed",
	"FiveCommands/pegboard-1000rules": "five commands under 1,000 rules: strict decode, parse, a decision for each; all must be allowed",

	"Find10000/pegboard-build":        "the index, with the first query; that query must find a tool",
	"Find10000/pegboard-changed":      "the index after one source of 20 tools has changed",
	"Find10000/pegboard-sentence":     "queries in sentences, 50th percentile",
	"Find10000/pegboard-sentence-p99": "queries in sentences, 99th percentile",
	"Find10000/pegboard-words":        "queries in three words, 50th percentile",
	"Find10000/pegboard-words-p99":    "queries in three words, 99th percentile",

	"Search/pegboard-literal":          `context\.WithTimeout\(, all lines; rules are asked about each folder`,
	"Search/pegboard-literal-in-regex": `func \(\w+ \*\w+\) \w*Close\(, all lines`,
	"Search/pegboard-literal-any-case": "deadline exceeded in any case, all lines",
	"Search/pegboard-literal-files":    "sync.Mutex, names of files",
	"Search/pegboard-literal-counts":   "TODO, counts for each file",
	"Search/pegboard-literal-nowhere":  "a word that occurs nowhere",
	"Search/pegboard-no-literal":       `[A-Z]\w+[0-9]{3,}\s*=, all lines`,
	"Search/pegboard-multiline":        `if err != nil \{\n\s+return nil, err, across lines`,
	"Search/pegboard-names":            "Glob of **/*.go",

	"Store1GiB/pegboard-all":   "all of it is stored; the file gets its name when it is whole",
	"Store1GiB/pegboard-64MiB": "the first 64 MiB are stored, the rest is read and counted",

	"Agent/pegboard": "a call through the executor: fork, pool, loop, report, end; each must end without an error; the floor is fork, pool and end alone",
}
