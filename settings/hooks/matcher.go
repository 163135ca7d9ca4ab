package hooks

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

const (
	// matchTime is the time in which an expression must match one text.
	matchTime = 100 * time.Millisecond
	// maxMatcher is the maximum length of a matcher in bytes.
	maxMatcher = 4096
)

// A matcher is a compiled matcher of a group of handlers. The nil matcher matches everything.
type matcher struct {
	names      []string        // the field must be one of these, unless there is an expression
	simple     *regexp.Regexp  // an expression that means the same in the syntax of package regexp
	expression *regexp2.Regexp // any other expression
}

// newMatcher compiles a matcher of an event. It returns nil for one that matches everything.
func newMatcher(text string, e event) (*matcher, error) {
	switch {
	case text == "" || text == "*":
		return nil, nil //nolint:nilnil // see the type
	case len(text) > maxMatcher:
		return nil, fmt.Errorf("the matcher is longer than %d bytes", maxMatcher)
	case isList(text, e.narrow):
		m := &matcher{}
		for _, name := range strings.FieldsFunc(text, func(r rune) bool { return r == '|' || r == ',' }) {
			if name = strings.Trim(name, " "); name != "" {
				m.names = append(m.names, name)
			}
		}
		return m, nil
	}
	if isSimple(text) {
		if simple, err := regexp.Compile(text); err == nil {
			return &matcher{simple: simple}, nil
		}
	}
	m := &matcher{}
	err := goroutine.Try(func() (err error) {
		m.expression, err = regexp2.Compile(text, regexp2.ECMAScript)
		return err
	})
	if err != nil {
		if crash := (*goroutine.PanicError)(nil); errors.As(err, &crash) {
			err = errors.New("it cannot be compiled")
		}
		return nil, fmt.Errorf("the matcher is not an expression of ECMAScript: %w", err)
	}
	m.expression.MatchTimeout = matchTime
	return m, nil
}

// isList reports whether a matcher is a list of names.
func isList(text string, narrow bool) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return !isWord(r) && r != '|' && (narrow || r != '-' && r != ',' && r != ' ')
	})
}

func isWord(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

// isSimple reports whether an expression means the same to ECMAScript and to package regexp,
// which takes linear time and needs no clock.
func isSimple(text string) bool {
	const same = "-_:/,@#=~<>;&%'\"! .*+?^$|()"
	class := -1 // where a class began
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case class >= 0 && c == ']':
			if i == class+1 || i == class+2 && text[class+1] == '^' {
				return false
			}
			class = -1
		case isWord(rune(c)):
		case class >= 0:
			if c != '-' && (c != '^' || i != class+1) {
				return false
			}
		case c == '[':
			class = i
		case c == '\\':
			if i++; i == len(text) || !strings.ContainsRune(`wd._-/*+?()[]{}^$|:`, rune(text[i])) {
				return false
			}
		case c == '(' && strings.HasPrefix(text[i:], "(?") && !strings.HasPrefix(text[i:], "(?:"):
			return false
		case !strings.ContainsRune(same, rune(c)):
			return false
		}
	}
	return class < 0
}

// matches reports whether m matches one of the values.
func (m *matcher) matches(values []string) bool {
	return m == nil || slices.ContainsFunc(values, m.matchesOne)
}

func (m *matcher) matchesOne(value string) bool {
	switch {
	case m.simple != nil:
		return m.simple.MatchString(value)
	case m.expression == nil:
		return slices.Contains(m.names, value)
	}
	var matched bool
	err := goroutine.Try(func() (err error) {
		matched, err = m.expression.MatchString(value)
		return err
	})
	return matched || err != nil // a hook that may guard the call is not left out
}
