package shellparse

// languageSpecs are the commands that run a program in a language of their own.
var languageSpecs = map[string]commandSpec{
	"sed":  sedSpec,
	"gsed": sedSpec,
	"awk":  awkSpec,
	"gawk": awkSpec,
	"mawk": awkSpec,
	"nawk": awkSpec,
	"jq":   {source: "jq 1.8 manual, invoking jq", custom: jqEffect},
}
