package schema

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/seed49eaa51d/pegboard/internal/goroutine"
	"github.com/seed49eaa51d/pegboard/internal/strictjson"
)

const (
	// foreignKey replaces the keyword pattern in the compiled copy of a schema where the
	// pattern is foreign.
	foreignKey = "pegboard:pattern"
	// maxForeign is the maximum length of a foreign pattern in bytes.
	maxForeign = 4096
	// foreignTime is the time in which one validation must match all foreign patterns.
	foreignTime = time.Second
)

// A foreignPattern is a pattern of ECMA-262 that package regexp cannot compile, for example
// one with look-ahead. It is matched by backtracking, which takes exponential time for some
// patterns and texts, so the time is limited.
type foreignPattern struct {
	source  string
	matcher *regexp2.Regexp
	time    *foreignBudget
}

// A foreignBudget limits the time that one validation spends on foreign patterns. A
// validation that uses it holds the lock.
type foreignBudget struct {
	sync.Mutex
	end      time.Time
	exceeded bool // a match has failed, so the result of the validation is unknown
}

// start begins a validation.
func (b *foreignBudget) start() {
	b.Lock()
	b.end, b.exceeded = time.Now().Add(foreignTime), false
}

// compileForeign returns the matcher of a foreign pattern. It returns nil if package regexp
// can compile the pattern, or if it is invalid or too long.
func compileForeign(source string) *regexp2.Regexp {
	if _, err := regexp.Compile(source); err == nil || len(source) > maxForeign {
		return nil
	}
	var matcher *regexp2.Regexp
	err := goroutine.Try(func() (err error) {
		matcher, err = regexp2.Compile(withEmojiClasses(source), regexp2.ECMAScript)
		return err
	})
	if err != nil {
		return nil
	}
	return matcher
}

// withEmojiClasses replaces the properties of emoji, which regexp2 does not know.
func withEmojiClasses(source string) string {
	var out strings.Builder
	inClass := false
	for i := 0; i < len(source); i++ {
		rest, replaced := source[i:], false
		for name, ranges := range emojiRanges {
			if !strings.HasPrefix(rest, `\p{`+name+"}") {
				continue
			}
			if inClass {
				out.WriteString(ranges)
			} else {
				out.WriteString("[" + ranges + "]")
			}
			i += len(`\p{}`) + len(name) - 1
			replaced = true
		}
		switch {
		case replaced:
			continue
		case source[i] == '\\' && i+1 < len(source):
			out.WriteByte(source[i])
			i++
		case source[i] == '[':
			inClass = true
		case source[i] == ']':
			inClass = false
		}
		out.WriteByte(source[i])
	}
	return out.String()
}

// Validate checks a value, see jsonschema.ExtSchema.
func (p *foreignPattern) Validate(ctx jsonschema.ValidationContext, v any) error {
	text, ok := v.(string)
	if !ok {
		return nil
	}
	matched, err := p.match(text)
	switch {
	case err != nil:
		return ctx.Error("pattern", "%s", patternTimeout)
	case !matched:
		return ctx.Error("pattern", "does not match pattern %s", p.source)
	default:
		return nil
	}
}

const patternTimeout = "takes too long to match against the pattern"

var errPatternTimeout = errors.New(patternTimeout)

// match reports whether the pattern matches the text. The caller holds the lock of p.time.
func (p *foreignPattern) match(text string) (matched bool, err error) {
	left := time.Until(p.time.end)
	if left <= 0 || p.time.exceeded {
		p.time.exceeded = true
		return false, errPatternTimeout
	}
	p.matcher.MatchTimeout = left
	err = goroutine.Try(func() (err error) {
		matched, err = p.matcher.MatchString(text)
		return err
	})
	p.time.exceeded = err != nil
	return matched && err == nil, err
}

// A foreignCompiler compiles the foreign patterns of one schema.
type foreignCompiler struct{ time *foreignBudget }

// Compile compiles the foreign pattern of a schema, see jsonschema.ExtCompiler.
func (c foreignCompiler) Compile(_ jsonschema.CompilerContext, schema map[string]any) (jsonschema.ExtSchema, error) {
	source, ok := schema[foreignKey].(string)
	if !ok {
		return nil, nil //nolint:nilnil // the interface wants it
	}
	matcher := compileForeign(source)
	if matcher == nil {
		return nil, fmt.Errorf("%s is no pattern", strictjson.Quote(source))
	}
	return &foreignPattern{source: source, matcher: matcher, time: c.time}, nil
}

// foreignOf returns the foreign pattern of a compiled schema, or nil.
func foreignOf(s *jsonschema.Schema) *foreignPattern {
	p, _ := s.Extensions[foreignKey].(*foreignPattern)
	return p
}

// values holds the keywords whose values are no schemas and hold none.
var values = []string{"const", "enum", "default", "example", "examples", "required"}

// named holds the keywords whose value is an object of schemas.
var named = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}

// setForeignAside returns a copy of a schema in which foreign patterns have the key
// foreignKey, and reports whether there is one.
func setForeignAside(schema map[string]any) (copied map[string]any, found bool) {
	copied = make(map[string]any, len(schema))
	for keyword, value := range schema {
		source, isText := value.(string)
		switch {
		case keyword == foreignKey:
			// not a keyword, except in copies
		case keyword == "pattern" && isText && compileForeign(source) != nil:
			copied[foreignKey], found = value, true
		case slices.Contains(values, keyword):
			copied[keyword] = value
		default:
			inner, below := foreignBelow(value, slices.Contains(named, keyword))
			copied[keyword], found = inner, found || below
		}
	}
	return copied, found
}

// foreignBelow sets foreign patterns aside in a schema, a list of schemas, or an object of
// schemas.
func foreignBelow(v any, object bool) (copied any, found bool) {
	switch v := v.(type) {
	case map[string]any:
		if !object {
			return setForeignAside(v)
		}
		all := make(map[string]any, len(v))
		for name, schema := range v {
			inner, below := foreignBelow(schema, false)
			all[name], found = inner, found || below
		}
		return all, found
	case []any:
		all := make([]any, len(v))
		for i, schema := range v {
			inner, below := foreignBelow(schema, false)
			all[i], found = inner, found || below
		}
		return all, found
	default:
		return v, false
	}
}
