package edit

import (
	"regexp"
	"strings"
)

// findOmission finds a line of text that stands for text left out, unless the text
// before has the same line.
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

// maxOmission is how many bytes a placeholder has at most.
const maxOmission = 120

// omissionPattern is a whole line: a comment or bare, an ellipsis before or
// behind the words or both, and words that say nothing but that something known
// goes on. One more word, such as a name, makes it an ordinary comment.
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

// hasLine reports whether text has a line, white space around it not counted.
func hasLine(text, line string) bool {
	for other := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(other) == line {
			return true
		}
	}
	return false
}
