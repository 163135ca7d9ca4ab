package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic walks a calculation. Bash calculates the values of names, again and
// again, and runs the substitutions that it finds in them: only numbers are known.
func (w *walker) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		w.arithmetic(x.X)
		w.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		w.arithmetic(x.X)
	case *syntax.ParenArithm:
		w.arithmetic(x.X)
	case *syntax.Word:
		if !isDigits(x.Lit()) {
			w.doubt("a calculation uses more than numbers")
			w.hidden(x)
		}
	default:
		w.doubt("a calculation uses more than numbers")
		w.hidden(x)
	}
}

// condition walks what stands between [[ and ]].
func (w *walker) condition(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			w.operand(x.X)
			w.operand(x.Y)
			return
		case syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno:
			w.tested(x.X)
			w.tested(x.Y)
			return
		}
		w.condition(x.X)
		w.condition(x.Y)
	case *syntax.UnaryTest:
		switch x.Op {
		case syntax.TsVarSet, syntax.TsRefVar:
			w.doubt("a condition on a variable may calculate its index")
		case syntax.TsFdTerm:
			if w.env.Shell == Zsh {
				w.operand(x.X)
				return
			}
		case syntax.TsNot, syntax.TsEmpStr, syntax.TsNempStr, syntax.TsOptSet:
		default:
			w.tested(x.X)
			return
		}
		w.condition(x.X)
	case *syntax.ParenTest:
		w.condition(x.X)
	case *syntax.Word:
		w.expand(x)
	default:
		w.doubt("the line holds a condition that is not understood")
	}
}

// operand walks a number in a condition.
func (w *walker) operand(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.condition(x)
		return
	}
	if a := w.single(word); !a.known || !isDigits(strings.TrimPrefix(a.value, "-")) {
		w.doubt("a condition compares more than numbers")
	}
}

// tested walks a file in a condition.
func (w *walker) tested(x syntax.TestExpr) {
	word, ok := x.(*syntax.Word)
	if !ok {
		w.condition(x)
		return
	}
	a := w.single(word)
	if !a.known {
		w.doubt("a file cannot be known")
		return
	}
	if a.value != "" && !isStream(a.value) && !isSubstitution(word) {
		w.line.Paths = w.paths(w.line.Paths, a.value, Path{})
	}
}

// The operators of test, by what they say about their operands.
const (
	fileOperators   = "-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S"
	stringOperators = "-n -z -t -o"
	fileComparisons = "-nt -ot -ef"
	comparisons     = "= == != < > -eq -ne -lt -le -gt -ge"
)

func bracketUse(args []arg) shellUse {
	if len(args) == 0 || args[len(args)-1].value != "]" {
		return no("a bracket is not closed")
	}
	return testUse(args[:len(args)-1])
}

// testUse is test with one condition. Which word is an operator depends on how
// many there are, so none may be more than one.
func testUse(args []arg) shellUse {
	for len(args) > 0 && args[0].known && args[0].value == "!" {
		args = args[1:]
	}
	for _, a := range args {
		if a.many || a.glob {
			return shellUse{unknown("a condition has words that cannot be known"), true}
		}
	}
	word := func(i int) string { return args[i].value }
	var u shellUse
	switch {
	case len(args) < 2:
	case len(args) == 2 && has(fileOperators, word(0)):
		u.files = []file{{arg: args[1]}}
	case len(args) == 2 && has(stringOperators, word(0)):
	case len(args) == 3 && has(fileComparisons, word(1)):
		u.files = []file{{arg: args[0]}, {arg: args[2]}}
	case len(args) == 3 && has(comparisons, word(1)):
	default:
		return shellUse{unknown("a condition is not understood"), true}
	}
	return u
}
