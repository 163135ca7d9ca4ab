package grep

import "strings"

// class translates a class in brackets.
func (t *translator) class() error {
	c := classReader{t: t, start: t.at}
	t.at++
	negated := strings.HasPrefix(t.rest(), "^")
	if negated {
		t.at++
	}
	for first := true; ; first = false {
		end, err := c.readItem(first)
		if err != nil {
			return err
		}
		if end {
			break
		}
	}
	s := c.set.canonical()
	if !negated && t.lineByLine && len(s) == 2 && s[0] == '\n' && s[1] == '\n' {
		return newSyntaxError(t.in, c.start, t.at+1, newlineAdvice)
	}
	t.emit(1, s.bracketClass(negated), atom)
	return nil
}
