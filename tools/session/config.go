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
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
	"github.com/seed49eaa51d/pegboard/policy"
)

// configTimeout is how long a getter or a setter of the host may take. Our choice.
const configTimeout = time.Minute

// ConfigResult is the Result.Data of [Config]. The values of a secret setting are "set" and "not
// set".
type ConfigResult struct {
	Setting string `json:"setting"`
	Value   any    `json:"value"` // as it is after the call
	// Changed says that the call has set the value. Was is the value before.
	Changed bool `json:"changed,omitempty"`
	Was     any  `json:"was,omitempty"`
}

type configInput struct {
	Setting string `json:"setting" jsonschema:"minLength=1" jsonschema_description:"The name of the setting"`
	Value   any    `json:"value,omitempty" jsonschema:"oneof_type=string;number;boolean" jsonschema_description:"The new value; left out to read the present one"`
}

// A config is the settings of a Config tool.
type config struct {
	settings []Setting // sorted by name
	names    []string
}

// Config returns the tool with which a model reads and changes the host's settings. It is an
// error if there are no settings, or if one of them is wrong: the *[SettingError] names it.
//
// To read a setting needs no permission. To change one is asked about, unless a rule such as
// Config(setting theme) allows it; the pattern is the name after "setting ", in which * stands for
// any text. A deny rule with the same pattern keeps the model from reading the setting, too.
//
// Calls for one setting wait for each other.
func Config(settings ...Setting) (pegboard.Tool, error) {
	k, err := newConfig(settings)
	if err != nil {
		return nil, err
	}
	return pegboard.TryBuild(pegboard.Definition[configInput, ConfigResult]{
		Info:        pegboard.Info{Name: "Config", Title: "Settings", Hint: "change an option or preference of this program", Timeout: configTimeout},
		Description: k.describe(),
		Inspect:     k.inspect,
		Summary:     k.lines,
		Validate: func(_ context.Context, in configInput, _ *pegboard.Call) error {
			_, _, err := k.accept(in)
			return err
		},
		ClassifierInput: func(in configInput, _ *pegboard.Call) string { return k.lines(in, nil).Before },
		Call:            k.call,
		Result:          k.result,
	})
}

func newConfig(settings []Setting) (*config, error) {
	if len(settings) == 0 {
		return nil, &SettingError{Err: errors.New("there are no settings")}
	}
	k := &config{settings: slices.Clone(settings)}
	slices.SortFunc(k.settings, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	for i := range k.settings {
		s := &k.settings[i]
		s.Allowed = slices.Clone(s.Allowed)
		if err := s.check(); err != nil {
			return nil, &SettingError{Setting: s.Name, Err: err}
		}
		if slices.ContainsFunc(k.names, func(name string) bool { return strings.EqualFold(name, s.Name) }) {
			return nil, &SettingError{Setting: s.Name, Err: errors.New("is the name of two settings")}
		}
		k.names = append(k.names, s.Name)
	}
	return k, nil
}

// describe lists the settings for the model.
func (k *config) describe() string {
	var b strings.Builder
	b.WriteString("Reads a setting of this program, or changes it if a value is given. Change one only if the user has asked for it. The settings:")
	for i := range k.settings {
		b.WriteString("\n- " + k.settings[i].describe())
	}
	return b.String()
}

// find returns a setting. The error names those that may be meant.
func (k *config) find(name string) (*Setting, error) {
	if i, ok := slices.BinarySearch(k.names, name); ok {
		return &k.settings[i], nil
	}
	asked := pegboard.OneLine(name)
	if near := nearest.Names(name, k.names, 3); len(near) > 0 {
		return nil, fmt.Errorf("there is no setting %q; did you mean %s?", asked, strings.Join(near, " or "))
	}
	return nil, fmt.Errorf("there is no setting %q; there are %s", asked, strings.Join(k.names, ", "))
}

// accept returns the setting that is meant, and the value to set in the type of the setting; nil
// to read it.
func (k *config) accept(in configInput) (*Setting, any, error) {
	s, err := k.find(in.Setting)
	if err != nil || in.Value == nil {
		return s, nil, err
	}
	if s.Set == nil {
		return nil, nil, fmt.Errorf("the setting %s cannot be changed here; leave out value to read it, and tell the user", s.Name)
	}
	value, err := s.convert(in.Value)
	return s, value, err
}

func (k *config) inspect(in configInput, _ *pegboard.Call) pegboard.Traits {
	target := policy.Target{Kind: policy.Resource, Access: policy.Read, Value: "setting " + in.Setting}
	t := pegboard.Traits{Concurrency: pegboard.PerTarget, ReadOnly: in.Value == nil, Kind: pegboard.KindRead}
	if in.Value != nil {
		target.Access, t.Kind = policy.Write, pegboard.KindEdit
	}
	t.Targets = []policy.Target{target}
	return t
}

func (k *config) lines(in configInput, _ *pegboard.Call) pegboard.Summary {
	name := pegboard.OneLine(in.Setting)
	if in.Value == nil {
		return pegboard.Summary{Before: "Look at the setting " + name, While: "Looking at the setting " + name}
	}
	if s, err := k.find(in.Setting); err != nil || s.Secret {
		return pegboard.Summary{Before: "Change the setting " + name, While: "Changing the setting " + name}
	}
	to := name + " to " + clipped(shown(in.Value))
	return pegboard.Summary{Before: "Set " + to, While: "Setting " + to}
}

// call implements Config.
func (k *config) call(ctx context.Context, in configInput, c *pegboard.Call) (ConfigResult, error) {
	session := c.Session()
	if session == nil {
		return ConfigResult{}, errors.New("settings are for calls of an executor only")
	}
	s, value, err := k.accept(in)
	if err != nil {
		return ConfigResult{}, err
	}
	was, err := s.get(ctx, session)
	if err != nil && value == nil {
		return ConfigResult{}, err
	}
	if value == nil {
		return ConfigResult{Setting: s.Name, Value: s.display(was)}, nil
	}
	out := ConfigResult{Setting: s.Name, Changed: true}
	if err == nil { // a setting that cannot be read may still be set
		out.Was = s.display(was)
	}
	if err := s.set(ctx, session, value, was); err != nil {
		return ConfigResult{}, err
	}
	out.Value = s.display(value)
	if now, err := s.get(ctx, session); err == nil {
		out.Value = s.display(now)
	}
	return out, nil
}

// result words the result for the model.
func (k *config) result(out ConfigResult) *pegboard.Result {
	text := fmt.Sprintf("The setting %s is %s.", out.Setting, shown(out.Value))
	line := out.Setting + " is " + clipped(shown(out.Value))
	if s, err := k.find(out.Setting); err == nil && s.Secret {
		text, line = fmt.Sprintf("The setting %s is %v. Its value is not shown.", out.Setting, out.Value), fmt.Sprintf("%s is %v", out.Setting, out.Value)
	}
	if out.Changed {
		text = "Changed. " + text
		if before, now := shown(out.Was), shown(out.Value); out.Was != nil && before != now {
			text += " It was " + before + "."
		}
	}
	r := pegboard.TextResult(text)
	r.Data, r.Line = out, line
	return r
}

// shown returns a value as JSON, on one line.
func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return pegboard.OneLine(fmt.Sprint(v))
	}
	return string(b)
}

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
