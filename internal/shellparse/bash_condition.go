package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmExpr walks an arithmetic expression and marks the line unknown unless it
// consists of numbers. Bash evaluates the values of variables again and runs the
// substitutions in them.
func (w *walker) arithmExpr(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		w.arithmExpr(x.X)
		w.arithmExpr(x.Y)
	case *syntax.UnaryArithm:
		w.arithmExpr(x.X)
	case *syntax.ParenArithm:
		w.arithmExpr(x.X)
	case *syntax.Word:
		if !isDigits(x.Lit()) {
			w.markUnknown("a calculation uses more than numbers")
			w.substitutionsIn(x)
		}
	default:
		w.markUnknown("a calculation uses more than numbers")
		w.substitutionsIn(x)
	}
}

// testExpr walks the expression between [[ and ]].
func (w *walker) testExpr(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.testedNumber(x.X)
			w.testedNumber(x.Y)
			return
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			w.testedFile(x.X)
			w.testedFile(x.Y)
			return
		}
		w.testExpr(x.X)
		w.testExpr(x.Y)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsVarSet, syntax.TsRefVar:
			w.markUnknown("a condition on a variable may calculate its index")
		case syntax.TsFdTerm:
			if w.env.Shell == Zsh {
				w.testedNumber(x.X)
				return
			}
		case syntax.TsEmpStr, syntax.TsNempStr:
			if word, ok := x.X.(*syntax.Word); ok && variableWord.MatchString(strings.ReplaceAll(w.sourceOf(word), `"`, "")) {
				return // it says no more than whether a variable is empty
			}
		case syntax.TsNot, syntax.TsOptSet:
		default:
			w.testedFile(x.X)
			return
		}
		w.testExpr(x.X)
	case *syntax.ParenTest:
		w.testExpr(x.X)
	case *syntax.Word:
		w.walkWord(x)
	default:
		w.markUnknown("the line holds a condition that is not understood")
	}
}

// testedNumber walks a number in a condition.
func (w *walker) testedNumber(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.testExpr(x)
		return
	}
	if a := w.singleWord(word); !a.known || !isDigits(strings.TrimPrefix(a.value, "-")) {
		w.markUnknown("a condition compares more than numbers")
	}
}

// testedFile walks a file in a condition.
func (w *walker) testedFile(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.testExpr(x)
		return
	}
	a := w.singleWord(word)
	if !a.known && a.found != nil && len(a.found.trees) == 0 && !a.found.read {
		for _, v := range a.found.values {
			w.line.Paths = w.appendPaths(w.line.Paths, v.value, Path{Glob: v.glob})
		}
		return
	}
	if !a.known {
		w.markUnknown("a file cannot be known")
		return
	}
	if a.value != "" && !isStandardStream(a.value) && !isProcessSubst(word) {
		w.line.Paths = w.appendPaths(w.line.Paths, a.value, Path{})
	}
}

// The operators of test, by the kind of their operands.
const (
	fileOperators   = "-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S"
	stringOperators = "-n -z -t -o"
	fileComparisons = "-nt -ot -ef"
	comparisons     = "= == != < > -eq -ne -lt -le -gt -ge"
)

func bracketEffect(args []arg) builtinEffect {
	if len(args) == 0 || args[len(args)-1].value != "]" {
		return unknownBuiltin("a bracket is not closed")
	}
	return testEffect(args[:len(args)-1])
}

// testEffect returns the effect of test with a single condition. The number of words
// decides which of them is an operator, so no word may expand to several.
func testEffect(args []arg) builtinEffect {
	for len(args) > 0 && args[0].known && args[0].value == "!" {
		args = args[1:]
	}
	for _, a := range args {
		if a.anyNumber || a.glob {
			return builtinEffect{unknownEffect("a condition has words that cannot be known"), true}
		}
	}
	word := func(i int) string { return args[i].value }
	var e builtinEffect
	switch {
	case len(args) < 2:
	case len(args) == 2 && has(fileOperators, word(0)):
		e.files = []file{{arg: args[1]}}
	case len(args) == 2 && has(stringOperators, word(0)):
	case len(args) == 3 && has(fileComparisons, word(1)):
		e.files = []file{{arg: args[0]}, {arg: args[2]}}
	case len(args) == 3 && has(comparisons, word(1)):
	default:
		return builtinEffect{unknownEffect("a condition is not understood"), true}
	}
	return e
}
