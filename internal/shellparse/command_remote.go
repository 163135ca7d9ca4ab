package shellparse

import "strings"

// remoteEffect returns the effect of a program that talks to other machines, with the
// hosts its arguments name. An unknown argument may name any host.
func remoteEffect(args []arg) effect {
	e := remoteNamedEffect(args)
	for _, a := range args {
		if !a.known {
			e.hosts = append(e.hosts, a.unknownHost())
		}
	}
	return e
}

// remoteNamedEffect is remoteEffect without the hosts of unknown arguments.
func remoteNamedEffect(args []arg) effect {
	e := unknownEffect("it reaches the network")
	for _, a := range args {
		if !a.known {
			continue
		}
		text := a.value
		if strings.HasPrefix(text, "--") {
			_, text, _ = strings.Cut(text, "=")
		} else if strings.HasPrefix(text, "-") {
			text = text[min(2, len(text)):]
			if !strings.Contains(text, ":") {
				continue // several flags, or a value that is seldom a host
			}
		}
		if host := hostOf(text); host != "" {
			e.hosts = append(e.hosts, host)
		}
		if isAmbiguousURL(text) {
			e.hosts = append(e.hosts, "…"+text)
		}
	}
	return e
}

// remoteCopyEffect is remoteEffect for programs that copy files between machines: an
// operand that is not on another machine may be a local directory.
func remoteCopyEffect(args []arg) effect {
	e := remoteEffect(args)
	var here []arg
	for _, a := range args {
		if a.known && !strings.HasPrefix(a.value, "-") {
			here = append(here, a)
		}
	}
	for i, a := range here {
		if before, _, remote := strings.Cut(a.value, ":"); !remote || strings.Contains(before, "/") {
			e.files = append(e.files, file{arg: a, tree: true, guess: true})
			if i == len(here)-1 {
				e.files = append(e.files, file{arg: a, tree: true, guess: true, write: true, mayWrite: true})
			}
		}
	}
	return e
}

// hostOf returns the host that an argument may name: that of a URL or of
// user@host:path, or a name with a dot or a port. The text may mean something else.
func hostOf(text string) string {
	rest, url := afterScheme(text)
	if !url && (strings.HasPrefix(text, "/") || strings.HasPrefix(text, ".")) {
		return ""
	}
	if n := strings.IndexAny(rest, "/?#\\"); n >= 0 {
		rest = rest[:n]
	}
	at := strings.LastIndexByte(rest, '@')
	rest = rest[at+1:]
	if address, port, ok := strings.Cut(strings.TrimPrefix(rest, "["), "]"); ok && rest[0] == '[' && (port == "" || port[0] == ':') {
		return address
	}
	rest, port, _ := strings.Cut(rest, ":")
	named := at >= 0 || isDigits(port) || strings.Contains(rest, ".") || rest == "localhost"
	// Other texts, such as data to send, are no names.
	if url || named && !strings.ContainsAny(rest, notInHost) {
		return rest
	}
	return ""
}

// notInHost are bytes that end a URL inside a text.
const notInHost = " \t\n\"'`<>{}(),;&|=*$"

// afterScheme returns the text after the scheme of a URL. Programs accept any number of
// slashes after web schemes.
func afterScheme(text string) (rest string, ok bool) {
	scheme, rest, ok := strings.Cut(text, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "ftp", "ftps", "ws", "wss":
		if ok && !isDigits(rest) {
			return strings.TrimLeft(rest, `/\`), true
		}
	case "file":
		if ok {
			return "", true
		}
	}
	scheme, rest, ok = strings.Cut(text, "://")
	if !ok {
		return text, false
	}
	if n := strings.IndexAny(rest, notInHost); n >= 0 && strings.ContainsAny(scheme, notInHost) {
		rest = rest[:n] // the URL is inside a longer text
	}
	return rest, true
}

// isAmbiguousURL reports whether programs may read the host of a URL differently: they
// disagree about a backslash, and some decode percent signs.
func isAmbiguousURL(text string) bool {
	rest, url := afterScheme(text)
	if n := strings.IndexAny(rest, "/?#"); n >= 0 {
		rest = rest[:n]
	}
	return url && (strings.Contains(rest, `\`) || strings.Contains(rest[strings.LastIndexByte(rest, '@')+1:], "%") && !strings.Contains(rest, "["))
}

// unknownHost returns the host of an argument that is not known: the one that its known
// start names, or else a text that is no plain name.
func (a arg) unknownHost() string {
	text := strings.TrimPrefix(a.source, `"`)
	start := text[:max(strings.IndexAny(text+"$", "$`'\"{*?[\\"), 0)]
	if rest, url := afterScheme(start); url && !a.anyNumber && !a.isPlaceholder() && strings.Contains(rest, "/") && !strings.Contains(rest, "@") {
		return hostOf(start)
	}
	return "…" + a.source
}
