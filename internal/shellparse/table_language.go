package shellparse

// languages are the commands with a language of their own.
var languages = map[string]entry{
	"sed":  stream,
	"gsed": stream,
	"awk":  awk,
	"gawk": awk,
	"mawk": awk,
	"nawk": awk,
	"jq":   {source: "jq 1.8 manual, invoking jq", all: jqUse},
}
