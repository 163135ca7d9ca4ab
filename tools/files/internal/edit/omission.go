package edit

import (
	"regexp"
	"strings"
)

// findOmission finds a line of text that is a placeholder for omitted text, such as "//
// ... existing code ...". A line that is also in before does not count.
func findOmission(text, before string) (line string, found bool) {
	var placeholder *regexp.Regexp
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if len(line) > maxOmission || !strings.Contains(line, "...") && !strings.Contains(line, "…") {
			continue
		}
		if placeholder == nil {
			placeholder = regexp.MustCompile(omissionPattern)
		}
		if placeholder.MatchString(line) && !hasLine(before, line) {
			return line, true
		}
	}
	return "", false
}

// maxOmission is the maximum length of a placeholder, in bytes.
const maxOmission = 120

// omissionPattern matches a whole line: a comment or bare, with an ellipsis before or
// after the words or both, and with words that only say that known text follows. With
// any further word, such as a name, the line is an ordinary comment.
const omissionPattern = `(?i)^(?://+|#+|--+|;+|%+|/\*+|\*|<!--|\{/\*|\(\*|"""|''')?\s*[(\[<{]?\s*` +
	`(?:(?:\.{3,}|…)\s*` + omissionWords + `\s*(?:\.{3,}|…)?|` + omissionWords + `\s*(?:\.{3,}|…))` +
	`\s*[)\]>}]?\s*(?:\*/\}?|-->|\*\)|"""|''')?$`

const (
	omissionWords = `[(\[]?(?:(?:keep|leave) )?(?:` + omissionRest + `|` + omissionKnown + `|` + omissionStays + `)[)\]]?`
	omissionParts = `(?:code|methods?|functions?|lines?|implementations?|content|contents|file|class|logic|imports?|fields?|tests?|body|text|styles?|components?|markup|sections?|document|script|module)`
	// The rest of the code, unchanged; rest of file.
	omissionRest = `(?:the )?(?:rest|remainder) of (?:the |this |your )?(?:existing |original |previous )?` + omissionParts +
		`(?: ` + omissionParts + `)?(?:,? ?\(?(?:here|(?:is |are |stays? |remains? )?(?:unchanged|(?:the )?same|as before|as is))\)?)?`
	// Existing code here; remaining methods unchanged.
	omissionKnown = `(?:the |all |other |all other )*(?:existing|unchanged|remaining|previous|original)(?: (?:existing|unchanged|remaining|previous|original))? ` +
		omissionParts + `(?:,? ?\(?(?:here|above|below|(?:is |are |stays? |remains? )?(?:unchanged|(?:the )?same|as before|as is))\)?)?`
	// Code unchanged; other methods stay the same.
	omissionStays = `(?:the |other |all other )?` + omissionParts + ` (?:is |are |stays? |remains? )?(?:unchanged|(?:the )?same|as before)`
)

// hasLine reports whether text has a line equal to line, apart from white space around
// it.
func hasLine(text, line string) bool {
	for other := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(other) == line {
			return true
		}
	}
	return false
}
