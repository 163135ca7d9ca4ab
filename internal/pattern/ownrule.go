package pattern

import "strings"

// An ownRule is a specifier of a tool of the host's own. The text is read once for each
// kind of target: which one the tool has, only its calls tell.
type ownRule struct {
	byKind [Command + 1]Spec // the zero Spec if the text has no meaning for the kind
	label  string            // "tabel:" of "tabel:x": the text may be meant as a parameter
}

// parseOwn parses a specifier of a tool that is not well known.
func parseOwn(tool, text string) Spec {
	r := &ownRule{}
	if p, ok := Parameter(tool, text); ok && len(p.Name) > 1 { // a single letter may be a drive
		r.label = foldMarks.fold(p.Name) + ":"
	}
	if names := (wordGlob{text: text}); !strings.Contains(text, "?") {
		r.byKind[Text] = Spec{names: &nameRule{covers: names, touches: names.fold(foldMarks)}}
	}
	if path, err := parsePath(text); err == nil && r.label == "" {
		r.byKind[Path] = Spec{kind: Path, write: true, read: true, path: path}
	}
	host, err := parseHost(text)
	if err != nil && r.label == "" {
		host, err = parseHost("domain:" + text)
	}
	if err == nil {
		r.byKind[Host] = Spec{kind: Host, host: host}
	}
	if r.label == "" || strings.HasSuffix(text, ":*") {
		r.byKind[Command] = Spec{kind: Command, line: parseLine(text, false)}
	}
	return Spec{own: r}
}

// Understands reports whether s has a meaning for targets of the kind of x, so that it
// matches x or says that it is about something else. A text such as "tabel:x" is understood
// only if x has a name that begins alike, since it may be a misspelt parameter.
func (s Spec) Understands(x Subject) bool {
	if s.own != nil {
		part := s.own.byKind[x.Kind]
		if x.Kind == Text && s.own.label != "" && !x.labelled(s.own.label) {
			return false
		}
		return part.names != nil || part.appliesTo(x)
	}
	if s.names == nil {
		return s.appliesTo(x)
	}
	label, _, labelled := strings.Cut(s.names.touches.text, ":")
	return x.Kind == Text && (!labelled || strings.ContainsFunc(label, notInName) || x.labelled(label+":"))
}

// labelled reports whether a name begins with a label, which is folded.
func (x Subject) labelled(label string) bool {
	for _, n := range x.Names {
		if strings.HasPrefix(foldMarks.fold(strings.TrimSpace(n)), label) {
			return true
		}
	}
	return false
}

// IsOwn reports whether a tool is not well known, so that the kinds of its targets say how
// the text of a rule on it is read.
func IsOwn(tool string) bool {
	switch tool {
	case "Edit", "Read", "WebFetch", "Write", "NotebookEdit", "MultiEdit", "apply_patch", "Glob", "Grep",
		"Bash", "PowerShell", "Monitor", "Agent", "Task", "Skill":
		return false
	}
	return !strings.HasPrefix(tool, serverPrefix)
}
