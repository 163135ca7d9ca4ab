package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
)

// A SettingType is the type of the values of a [Setting].
type SettingType int

// The types, and the Go types that Get returns and Set is given. The zero SettingType is no type,
// and refused.
const (
	_           SettingType = iota
	TypeText                // string
	TypeBool                // bool
	TypeInteger             // int64, of at most 2⁵³ so that no model writes it inexactly
	TypeNumber              // float64
)

// String returns the type as the model is told it.
func (t SettingType) String() string {
	switch t {
	case TypeText:
		return "a text"
	case TypeBool:
		return "true or false"
	case TypeInteger:
		return "a whole number"
	case TypeNumber:
		return "a number"
	}
	return "invalid"
}

// A Setting is one value of the host that [Config] shows and changes. Name, Type and Get are
// required.
type Setting struct {
	Name        string // letters, digits, dots, hyphens and underscores
	Description string // one line for the model
	Type        SettingType
	// Allowed are the only values that may be set, of the Go type that Type says. Empty means
	// any value of the type.
	Allowed []any
	// Get returns the present value, of the Go type that Type says; nil means that the setting
	// has no value.
	Get func(ctx context.Context, s *pegboard.Session) (any, error)
	// Set changes the value, which is of the right type and allowed. Its error goes to the
	// model, and means that nothing has changed. Nil means that the setting can only be read.
	Set func(ctx context.Context, s *pegboard.Session, value any) error
	// Secret hides the value from the model and from people: it is shown as set or not set,
	// and neither lines nor errors have it. Allowed is not told, since the value is one of it.
	// An empty text counts as not set. The input of a call that sets it does contain it, as
	// hooks, questions and logs may show.
	Secret bool
}

// A SettingError is the error of [Config] about one of its settings, or about all.
type SettingError struct {
	Setting string // its name; empty if the error is about none
	Err     error
}

// Error returns the name and the cause.
func (e *SettingError) Error() string {
	if e.Setting == "" {
		return "session: Config: " + e.Err.Error()
	}
	return fmt.Sprintf("session: Config: setting %q: %v", e.Setting, e.Err)
}

// Unwrap returns e.Err.
func (e *SettingError) Unwrap() error { return e.Err }

var settingName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

// check returns the first error of s.
func (s *Setting) check() error {
	switch {
	case !settingName.MatchString(s.Name):
		return errors.New("a name consists of up to 100 letters, digits, dots, hyphens and underscores")
	case s.Type < TypeText || s.Type > TypeNumber:
		return errors.New("the field Type is missing")
	case s.Get == nil:
		return errors.New("the func Get is nil")
	case pegboard.OneLine(s.Description) != s.Description:
		return errors.New("the description is more than one line")
	}
	for i, v := range s.Allowed {
		if !s.Type.has(v) {
			return fmt.Errorf("value %d of Allowed is a %T, and the setting takes %v", i, v, s.Type)
		}
	}
	return nil
}

// has reports whether a value is of the Go type that t says.
func (t SettingType) has(value any) bool {
	switch value.(type) {
	case string:
		return t == TypeText
	case bool:
		return t == TypeBool
	case int64:
		return t == TypeInteger
	case float64:
		return t == TypeNumber
	}
	return false
}

// describe returns the line of the tool's definition about the setting.
func (s *Setting) describe() string {
	text := s.Name + " (" + s.wants()
	if s.Set == nil {
		text += ", read only"
	}
	if s.Secret {
		text += ", secret"
	}
	text += ")"
	if s.Description != "" {
		text += ": " + s.Description
	}
	return text
}

// wants returns the values that the setting takes, as a phrase.
func (s *Setting) wants() string {
	switch {
	case len(s.Allowed) == 0:
		return s.Type.String()
	case s.Secret: // the present value is one of them
		return s.Type.String() + " that the program allows"
	}
	all := make([]string, len(s.Allowed))
	for i, v := range s.Allowed {
		all[i] = shown(v)
	}
	return strings.Join(all, " or ")
}

// convert returns a value that the model wrote in the Go type of the setting. The error says what
// is wanted.
func (s *Setting) convert(written any) (any, error) {
	value, ok := s.Type.convert(written)
	switch {
	case ok && (len(s.Allowed) == 0 || slices.Contains(s.Allowed, value)):
		return value, nil
	case s.Secret:
		return nil, fmt.Errorf("the setting %s takes %s, and the value is something else", s.Name, s.wants())
	}
	return nil, fmt.Errorf("the setting %s takes %s, and not %s", s.Name, s.wants(), clipped(shown(written)))
}

// maxExact is the largest whole number below which float64 has all others.
const maxExact = 1 << 53

// convert returns a value of decoded JSON as the Go type that t says.
func (t SettingType) convert(written any) (value any, ok bool) {
	if n, isNumber := written.(json.Number); isNumber {
		f, err := n.Float64()
		if err != nil {
			return nil, false
		}
		written = f
	}
	f, isNumber := written.(float64)
	switch {
	case t == TypeInteger && isNumber && f == math.Trunc(f) && math.Abs(f) <= maxExact:
		return int64(f), true
	case isNumber && (math.IsInf(f, 0) || math.IsNaN(f)):
		return nil, false
	}
	return written, t.has(written)
}

// clipped returns the beginning of a long text.
func clipped(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// get returns the present value. It is an error if the host returns one of another type.
func (s *Setting) get(ctx context.Context, session *pegboard.Session) (value any, err error) {
	err = s.guard(func() error {
		value, err = s.Get(ctx, session)
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("the setting %s cannot be read: %w", s.Name, s.hide(err, value))
	case value != nil && !s.Type.has(value):
		return nil, fmt.Errorf("the setting %s cannot be read: the program returned a %T, and the setting is %v", s.Name, value, s.Type)
	}
	return value, nil
}

// set changes the value from was.
func (s *Setting) set(ctx context.Context, session *pegboard.Session, value, was any) error {
	if err := s.guard(func() error { return s.Set(ctx, session, value) }); err != nil {
		return fmt.Errorf("the setting %s was not changed: %w", s.Name, s.hide(err, value, was))
	}
	return nil
}

// guard calls a func of the host. A panic of a secret setting becomes an error, since its text
// may have the secret and would be logged.
func (s *Setting) guard(f func() error) error {
	if !s.Secret {
		return f()
	}
	return goroutine.Try(f)
}

// display returns a value as the model may see it.
func (s *Setting) display(value any) any {
	if !s.Secret {
		return value
	}
	if value == nil || value == "" {
		return "not set"
	}
	return "set"
}

// hide returns err, without the values of a secret setting in its text.
func (s *Setting) hide(err error, values ...any) error {
	if !s.Secret {
		return err
	}
	text := err.Error()
	for _, value := range values {
		plain := plainText(value)
		if plain == "" {
			continue
		}
		for _, spelled := range []string{plain, strings.Trim(shown(value), `"`), strings.Trim(strconv.Quote(plain), `"`)} {
			text = strings.ReplaceAll(text, spelled, "(secret)")
		}
	}
	return &hiddenError{text: text, err: err}
}

// plainText returns a value as fmt prints it; empty for nil.
func plainText(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// A hiddenError is an error without the secret that its text had.
type hiddenError struct {
	text string
	err  error
}

// Error returns the text without the secret.
func (e *hiddenError) Error() string { return e.text }

// Unwrap returns the host's own error, whose text may have the secret.
func (e *hiddenError) Unwrap() error { return e.err }
