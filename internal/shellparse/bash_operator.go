package shellparse

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// operatorWord matches the words behind an operator that no shell expands.
var operatorWord = regexp.MustCompile(`^[A-Za-z0-9_./-]*$`)

// operatorPattern matches the patterns behind an operator that are understood: a text with
// at most one star at one of its ends.
var operatorPattern = regexp.MustCompile(`^\*?[A-Za-z0-9_./-]+\*?$`)

// isHarmlessOperator reports whether an expansion only tells the length of a variable,
// removes a part of its value or replaces it by another word: it sets nothing and runs
// nothing. Of a secret even that tells something.
func (w *walker) isHarmlessOperator(p *syntax.ParamExp) bool {
	if w.env.Shell != Bash || p.Param == nil || !isName(p.Param.Value) || w.mayBeSecret(p.Param.Value) || p.Length == (p.Exp != nil) {
		return false
	}
	if p.Flags != nil || p.Excl || p.Width || p.IsSet || p.Split != 0 || p.GlobSubst != 0 || p.RcExpand != 0 ||
		p.NestedParam != nil || p.Index != nil || len(p.Modifiers) > 0 || p.Slice != nil || p.Repl != nil || p.Names != 0 {
		return false
	}
	if p.Length {
		return true
	}
	text := ""
	if p.Exp.Word != nil {
		if text = p.Exp.Word.Lit(); text == "" {
			return false
		}
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return operatorWord.MatchString(text)
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return text == "" || operatorPattern.MatchString(text)
	}
	return false
}

// operatorValues returns the values that an expansion with a harmless operator has, or none
// if they are not known.
func (w *walker) operatorValues(p *syntax.ParamExp) []arg {
	values := slices.Clone(w.variable(p.Param.Value).values)
	for i := range values {
		v := &values[i]
		if !v.isLiteral() || strings.ContainsFunc(v.value, func(r rune) bool { return r > '~' }) {
			return nil
		}
		if p.Length {
			*v = literalArg(strconv.Itoa(len(v.value)))
			continue
		}
		text := ""
		if p.Exp.Word != nil {
			text = p.Exp.Word.Lit()
		}
		switch p.Exp.Op {
		case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
			if v.value == "" {
				return nil
			}
		case syntax.RemSmallPrefix, syntax.RemLargePrefix:
			v.value = v.value[matchedPrefix(v.value, text, p.Exp.Op == syntax.RemLargePrefix):]
		case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
			n := matchedPrefix(reversed(v.value), reversed(text), p.Exp.Op == syntax.RemLargeSuffix)
			v.value = v.value[:len(v.value)-n]
		default:
			return nil
		}
	}
	return values
}

// matchedPrefix returns the length of the shortest or the longest beginning of a text that a
// pattern matches, or 0.
func matchedPrefix(text, pattern string, longest bool) int {
	found := 0
	for n := range len(text) + 1 {
		if ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text[:n], "/", "\x00")); err == nil && ok {
			if found = n; !longest {
				return n
			}
		}
	}
	return found
}

func reversed(text string) string {
	b := []byte(text)
	slices.Reverse(b)
	return string(b)
}
