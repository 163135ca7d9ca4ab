package grep

import (
	"strings"
)

// class translates a class in brackets.
func (t *translator) class() error {
	c := classReader{t: t, begin: t.at}
	t.at++
	negated := strings.HasPrefix(t.rest(), "^")
	if negated {
		t.at++
	}
	for first := true; ; first = false {
		end, err := c.item(first)
		if err != nil {
			return err
		}
		if end {
			break
		}
	}
	s := c.set.canonical()
	if !negated && t.lines && len(s) == 2 && s[0] == '\n' && s[1] == '\n' {
		return newError(t.in, c.begin, t.at+1, newlineAdvice)
	}
	t.emit(1, s.class(negated), atom)
	return nil
}
