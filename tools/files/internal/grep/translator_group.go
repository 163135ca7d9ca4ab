package grep

import "strings"

// openGroup translates the start of a group.
func (t *translator) openGroup() error {
	s := *t.scope()
	s.start = t.at
	rest := t.rest()
	for _, look := range []string{"(?=", "(?!", "(?<=", "(?<!"} {
		if strings.HasPrefix(rest, look) {
			return t.syntaxError(t.at+len(look), "look-around is not supported; search for what the lines hold and look at the results")
		}
	}
	switch {
	case strings.HasPrefix(rest, "(?>"):
		return t.syntaxError(t.at+3, "groups that do not give back are not supported; write (?:")
	case strings.HasPrefix(rest, "(?P<") || strings.HasPrefix(rest, "(?<"):
		return t.openNamedGroup(s)
	case strings.HasPrefix(rest, "(?"):
		return t.setFlags(s)
	}
	t.scopes = append(t.scopes, s)
	t.emit(1, "(", noItem)
	return nil
}

// openNamedGroup translates the start of a named group. It drops the name, which no
// caller needs.
func (t *translator) openNamedGroup(s scope) error {
	begin := strings.IndexByte(t.rest(), '<') + 1
	end := strings.IndexByte(t.rest(), '>')
	if end <= begin {
		return t.syntaxError(t.at+begin, "the name of the group is not closed; write (?P<name>")
	}
	t.scopes = append(t.scopes, s)
	t.emit(end+1, "(", noItem)
	return nil
}

// setFlags translates (?flags) and (?flags:.
func (t *translator) setFlags(s scope) error {
	var flags strings.Builder
	on := true
	for i := 2; i < len(t.rest()); i++ {
		switch c := t.rest()[i]; c {
		case '-':
			if !on {
				return t.syntaxError(t.at+i+1, "a second - in the flags; leave it out")
			}
			on = false
			flags.WriteByte(c)
		case 'i', 'm', 's', 'U':
			flags.WriteByte(c)
		case 'x':
			s.extended = on
		case 'u':
			s.ascii = !on
		case ':', ')':
			given := strings.TrimSuffix(flags.String(), "-")
			if c == ':' {
				t.scopes = append(t.scopes, s)
				t.emit(i+1, "(?"+given+":", noItem)
				return nil
			}
			s.start = t.scope().start
			*t.scope() = s
			if given != "" {
				given = "(?" + given + ")"
			}
			t.emit(i+1, given, noItem)
			return nil
		default:
			return t.syntaxError(t.at+i+1, "the flags are i, m, s, U, x and u; write (?:...) for a group")
		}
	}
	return t.syntaxError(len(t.in), "the group is not closed; write (?: and )")
}
