package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/nearest"
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
		Lines:       k.lines,
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
	target := pegboard.Target{Kind: pegboard.TargetResource, Access: pegboard.AccessRead, Value: "setting " + in.Setting}
	t := pegboard.Traits{Concurrency: pegboard.PerTarget, ReadOnly: in.Value == nil, Kind: pegboard.KindRead}
	if in.Value != nil {
		target.Access, t.Kind = pegboard.AccessWrite, pegboard.KindEdit
	}
	t.Targets = []pegboard.Target{target}
	return t
}

func (k *config) lines(in configInput, _ *pegboard.Call) pegboard.Lines {
	name := pegboard.OneLine(in.Setting)
	if in.Value == nil {
		return pegboard.Lines{Before: "Look at the setting " + name, While: "Looking at the setting " + name}
	}
	if s, err := k.find(in.Setting); err != nil || s.Secret {
		return pegboard.Lines{Before: "Change the setting " + name, While: "Changing the setting " + name}
	}
	to := name + " to " + clipped(shown(in.Value))
	return pegboard.Lines{Before: "Set " + to, While: "Setting " + to}
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
