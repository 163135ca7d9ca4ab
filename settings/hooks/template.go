package hooks

import (
	"regexp"
	"strings"
)

// placeholders are those of the input of a tool, such as ${tool_input.file_path}.
var placeholders = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_.\-]*)\}`)

// fillIn returns template with the placeholders in its texts replaced by values of the event.
// One that the event does not have becomes empty.
func fillIn(template, event any) any {
	switch v := template.(type) {
	case string:
		return placeholders.ReplaceAllStringFunc(v, func(p string) string {
			return textOf(lookUp(event, strings.Split(p[2:len(p)-1], ".")))
		})
	case []any:
		for i := range v {
			v[i] = fillIn(v[i], event)
		}
	case map[string]any:
		for name := range v {
			v[name] = fillIn(v[name], event)
		}
	}
	return template
}

func lookUp(value any, path []string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// textOf returns a value as a text: a string as it is, nothing as "", anything else as JSON.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	text, _ := encode(value) // it was decoded from JSON
	return string(text)
}

// withArguments returns a prompt with the event in the place of $ARGUMENTS, or at its end.
// \$ is a dollar sign.
func withArguments(prompt, event string) string {
	const name = "$ARGUMENTS"
	var b strings.Builder
	found := false
	for rest := prompt; rest != ""; {
		i := strings.IndexAny(rest, `\$`)
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		switch {
		case strings.HasPrefix(rest, `\$`):
			b.WriteByte('$')
			rest = rest[2:]
		case strings.HasPrefix(rest, name):
			b.WriteString(event)
			found, rest = true, rest[len(name):]
		default:
			b.WriteByte(rest[0])
			rest = rest[1:]
		}
	}
	if !found {
		b.WriteString("\n\n" + event)
	}
	return b.String()
}
