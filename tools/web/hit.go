package web

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard/internal/netguard"
	"github.com/seed49eaa51d/pegboard/tools/internal/output"
)

// Bounds of a hit. Title and snippet are cut, in characters; a hit with a longer address, in
// bytes, is left out.
const (
	maxHitTitle   = 200
	maxHitSnippet = 1000
	maxHitURL     = 2048
)

// cleaned returns the hit as the model may see it, and the host of its address in the spelling of
// domains, which is empty for a file. It reports whether the address is one.
func (h Hit) cleaned() (clean Hit, host string, ok bool) {
	if len(h.URL) > maxHitURL {
		return Hit{}, "", false
	}
	u, err := url.Parse(strings.TrimSpace(h.URL))
	if err != nil || u.User != nil || u.Opaque != "" {
		return Hit{}, "", false
	}
	switch u.Scheme {
	case "http", "https":
		host, err = mapHost(u.Hostname())
		ok = err == nil
		u.Host = joinPort(host, u.Port())
	case "file":
		ok = u.Host == "" && strings.HasPrefix(u.Path, "/")
	}
	if !ok {
		return Hit{}, "", false
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	clean = Hit{Title: hitText(h.Title, maxHitTitle), URL: u.String(), Snippet: hitText(h.Snippet, maxHitSnippet)}
	if clean.Title == "" {
		clean.Title = clean.URL
	}
	return clean, host, true
}

// joinPort returns host and port as they stand in an address.
func joinPort(host, port string) string {
	if port != "" {
		return net.JoinHostPort(host, port)
	}
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// escapeQuery escapes what net/url leaves in a query and what no address contains: blanks, quotes,
// brackets of tags and all but ASCII.
func escapeQuery(query string) string {
	var b strings.Builder
	for i := range len(query) {
		if c := query[i]; c <= ' ' || c >= 0x7f || c == '<' || c == '>' || c == '"' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// mapHost returns the spelling of a host that is compared with domains.
func mapHost(host string) (string, error) {
	if strings.Contains(host, "*") {
		return "", errNoDomain
	}
	return netguard.MapPattern(host)
}

// hitText returns the text of a title or snippet as one line of at most limit characters.
func hitText(text string, limit int) string {
	// Each character takes at most 16 bytes of HTML here; the rest would be cut anyway.
	if most := 16 * limit; len(text) > most {
		text = text[:most]
	}
	text = strings.Join(strings.Fields(output.Line(plainText(text))), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimSpace(string([]rune(text)[:limit-1])) + "…"
}
