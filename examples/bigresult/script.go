package main

import (
	"regexp"
	"strconv"
)

type call struct {
	tool  string
	input map[string]any
}

// script returns the calls of each turn, given the results of the turn before.
func script() []func(seen []string) []call {
	var path string
	return []func([]string) []call{
		func([]string) []call { return []call{{"Logs", nil}} },
		func(seen []string) []call {
			path = match(`All of it is in ([^;]+);`, seen[0])
			return []call{{"Grep", map[string]any{"pattern": "status 500", "path": path, "output_mode": "content", "-n": true}}}
		},
		func(seen []string) []call {
			line, _ := strconv.Atoi(match(`(\d+):request`, seen[0])) // without a match it is 0, which Read refuses
			return []call{
				{"Read", map[string]any{"file_path": path, "offset": line - 1, "limit": 3}},
				{"ReadResult", map[string]any{"ref": path, "pattern": "status [45]"}},
			}
		},
		func(seen []string) []call {
			offset, _ := strconv.Atoi(match(`(\d+):request`, seen[1]))
			return []call{{"ReadResult", map[string]any{"ref": path, "offset": offset, "limit": 100}}, {"Orders", nil}, {"Build", nil}}
		},
		// Each of these results is within the limit, but not all of them together.
		func([]string) []call { return []call{{"Page", number(1)}, {"Page", number(2)}, {"Page", number(3)}} },
	}
}

func number(n int) map[string]any { return map[string]any{"number": n} }

func match(pattern, text string) string {
	if found := regexp.MustCompile(pattern).FindStringSubmatch(text); found != nil {
		return found[1]
	}
	return ""
}
