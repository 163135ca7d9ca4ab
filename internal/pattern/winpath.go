package pattern

import (
	"strings"
	"unicode/utf8"
)

// canonicalWindows is [Canonical] for Windows.
func canonicalWindows(name string) (form, doubtful string) {
	root, rest, doubtful := splitVolume(strings.ReplaceAll(name, `\`, "/"))
	if strings.HasPrefix(name, `\`) && (doubtful == "" || doubtful == noDrive) {
		doubtful = "it stands on the current drive, which is not known"
	}
	var names []string
	for seg := range strings.SplitSeq(rest, "/") {
		switch seg {
		case "", ".":
			continue
		case "..":
			if n := len(names); n > 0 && names[n-1] != ".." {
				names = names[:n-1]
			} else if root == "" {
				names = append(names, "..")
			}
			continue
		}
		short, doubt := canonicalName(seg)
		if doubt != "" && (doubtful == "" || doubtful == noDrive) {
			doubtful = doubt
		}
		names = append(names, short)
	}
	switch {
	case len(names) == 0 && root == "":
		return ".", doubtful
	case len(names) > 0 && root == "/" && isDrive(names[0]):
		names[0] = strings.ToLower(names[0])
		doubtful = "it turns into a drive only once it is cleaned"
	}
	form = root + strings.Join(names, "/")
	return form[:1] + strings.TrimSuffix(form[1:], "/"), doubtful
}

// splitVolume splits a path with slashes into its root ("/c/", "//host/", "/" or "") and the
// rest.
func splitVolume(name string) (root, rest, doubtful string) {
	for _, prefix := range []string{"//?/", "//./", "/??/"} {
		inner, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if len(inner) > 3 && strings.EqualFold(inner[:4], "UNC/") {
			inner = "//" + inner[4:]
		}
		if root, rest, _ = splitVolume(inner); root == "" {
			root = prefix // a device; no rule matches it
		}
		return root, rest, "it is spelled as a device, which skips the usual reading of a path"
	}
	if share, ok := strings.CutPrefix(name, "//"); ok {
		host, below, _ := strings.Cut(strings.TrimLeft(share, "/"), "/")
		if host == "." || host == "?" {
			return splitVolume("//" + host + "/" + below)
		}
		if drive, inner, _ := strings.Cut(below, "/"); len(drive) == 2 && drive[1] == '$' && isLetter(drive[0]) {
			// The host may be this machine.
			return "/" + string(lowerASCII(drive[0])) + "/", inner, "it is the drive of a machine in the network"
		}
		return "//" + host + "/", below, "it is on a machine in the network, which gets to know who asks"
	}
	if len(name) > 1 && name[1] == ':' && isLetter(name[0]) {
		if len(name) == 2 || name[2] != '/' {
			return "", name[2:], "it stands on the current directory of a drive, which is not known"
		}
		return "/" + string(lowerASCII(name[0])) + "/", name[3:], ""
	}
	if below, ok := strings.CutPrefix(name, "/"); ok {
		if drive, rest, _ := strings.Cut(below, "/"); isDrive(drive) {
			return "/" + strings.ToLower(drive) + "/", rest, ""
		}
		return "/", below, noDrive
	}
	return "", name, ""
}

// isDrive reports whether the first name of a path with slashes is a drive.
func isDrive(name string) bool { return len(name) == 1 && isLetter(name[0]) }

func isLetter(c byte) bool { c = lowerASCII(c); return 'a' <= c && c <= 'z' }

// canonicalName returns one name of a path as the system reads it.
func canonicalName(name string) (plain, doubtful string) {
	plain, _, stream := strings.Cut(name, ":")
	plain = strings.TrimRight(plain, ". ")
	switch {
	case plain == "":
		return name, "one of its names is only dots, blanks or a stream"
	case stream:
		return plain, "it names a stream of a file"
	case plain != name:
		return plain, "a name ends in a dot or blank, which Windows drops"
	case isDevice(plain):
		return plain, "it names a device"
	case isShortName(plain):
		return plain, "it holds what looks like the short name of another file"
	case !utf8.ValidString(plain):
		return plain, "it is not UTF-8"
	case strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || strings.ContainsRune(`<>"|?*`, r) }):
		return plain, "it holds a character that no name on Windows has"
	}
	return plain, ""
}

// isDevice reports whether name is a device. It is one in every directory and with any
// extension.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(stem, port); ok && utf8.RuneCountInString(n) == 1 && strings.Contains("0123456789¹²³", n) {
			return true
		}
	}
	return false
}

// isShortName reports whether name has the form of the short names that Windows makes for
// longer ones: up to eight characters, of which the last are a tilde and a number.
func isShortName(name string) bool {
	stem, extension, _ := strings.Cut(name, ".")
	_, number, ok := strings.Cut(stem, "~")
	return ok && utf8.RuneCountInString(stem) <= 8 && utf8.RuneCountInString(extension) <= 3 &&
		number != "" && strings.Trim(number, "0123456789") == ""
}
