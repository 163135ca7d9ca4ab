package tooltest

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/seed49eaa51d/pegboard"
)

// CheckView compares the fields of a result that a user interface shows, see
// [pegboard.Outcome.View], with the parts that the model gets. Use it with the outcomes of
// [Run]; [Check] sees only what cancelled calls return. The error joins one *[ContractError]
// for each violation; nil means that CheckView has found none. It checks these rules:
//
//  1. A search finds words of the result: each word of Result.SearchText is in the parts of the
//     result.
//  2. A line tells no more: in Result.Line, a number, name or path of more than eight
//     characters, some of which are no letters, is in the parts of the result or in the input
//     of the call. CheckView cannot see whether other words are true.
//  3. Diffs are of the call: a call that did not run has none, and each is of a path that the
//     call says it writes, if it names such paths.
func CheckView(o pegboard.Outcome) error {
	if o.Call == nil || o.Result == nil {
		return nil
	}
	v := verdict{purposes: viewPurposes}
	checkSearchText(&v, o)
	checkLine(&v, o)
	checkDiffs(&v, o)
	return v.err()
}

// The rules of CheckView.
const (
	ruleViewSearch = "a search finds words of the result"
	ruleViewLine   = "a line tells no more"
	ruleViewDiffs  = "diffs are of the call"
)

// viewPurposes holds the purpose of each rule of CheckView.
var viewPurposes = map[string]string{
	ruleViewSearch: "a person who has found a result must find the words in it",
	ruleViewLine:   "a person and the model must know the same of what came of a call",
	ruleViewDiffs:  "a person takes the diffs for the changes that the call has made",
}

// shownText returns all text of a result that the model gets.
func shownText(r *pegboard.Result) string {
	var all []string
	for _, p := range r.Parts {
		all = append(all, p.Text, p.Title, p.Source, p.Tool, p.Ref)
	}
	return strings.Join(all, "\n")
}

func checkSearchText(v *verdict, o pegboard.Outcome) {
	shown := shownText(o.Result)
	for _, word := range strings.Fields(o.Result.SearchText) {
		if !strings.Contains(shown, word) {
			v.addViolation(ruleViewSearch, string(o.Call.Input), "Result.SearchText has %q, and the parts do not", shorten(word))
			return
		}
	}
}

func checkLine(v *verdict, o pegboard.Outcome) {
	known := shownText(o.Result) + "\n" + string(o.Call.Input)
	for _, word := range strings.Fields(o.Result.Line) {
		word = strings.Trim(word, `.,:;!?()[]{}"'…`)
		if len([]rune(word)) > 8 && strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }) && !strings.Contains(known, word) {
			v.addViolation(ruleViewLine, string(o.Call.Input), "Result.Line has %q, and neither the parts nor the input do", shorten(word))
			return
		}
	}
}

func checkDiffs(v *verdict, o pegboard.Outcome) {
	diffs := o.Result.Diffs
	if len(diffs) == 0 {
		return
	}
	var failed *pegboard.CallError
	if errors.As(o.Err, &failed) && failed.Stage != pegboard.StageCall && failed.Stage != pegboard.StageResult {
		v.addViolation(ruleViewDiffs, string(o.Call.Input), "the call did not run, and has the diff of %s", diffs[0].Path)
		return
	}
	var written []string
	for _, t := range o.Call.Targets() {
		if t.Kind == pegboard.TargetPath && t.Access == pegboard.AccessWrite {
			written = append(written, t.Value, t.Real())
		}
	}
	for _, d := range diffs {
		if len(written) > 0 && !within(d.Path, written) {
			v.addViolation(ruleViewDiffs, string(o.Call.Input), "there is a diff of %s, and the call says that it writes %s", d.Path, fmt.Sprint(written))
		}
	}
}

// within reports whether a path is one of those, or below one.
func within(path string, those []string) bool {
	for _, p := range those {
		if path == p || strings.HasPrefix(path, strings.TrimRight(p, `/\`)+"/") || strings.HasSuffix(p, "/"+path) {
			return true
		}
	}
	return false
}
