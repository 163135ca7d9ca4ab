package tasks

import (
	"slices"
	"strings"
	"unicode"
)

// minUnverified is how many completed lines ask for a verification step.
const minUnverified = 3

// verificationWords are the words of a line that verifies others, in lower case.
var verificationWords = strings.Fields(`
	verify verifies verified verifying verification
	check checks checked checking recheck
	test tests tested testing retest
	review reviews reviewed reviewing
	validate validates validated validating validation
	inspect inspects inspected inspecting inspection
	confirm confirms confirmed confirming
	audit audits audited auditing
	proofread proofreads proofreading
	lint lints linted linting
	try tries tried trying
	qa`)

// VerificationWords returns the default of [TodoOptions].Verification.
func VerificationWords() []string { return slices.Clone(verificationWords) }

// verifies reports whether a line has one of the words.
func (t *Todo) verifies(words []string) bool {
	isBreak := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return slices.ContainsFunc(strings.FieldsFunc(t.Content+" "+t.ActiveForm, isBreak), func(word string) bool {
		return slices.ContainsFunc(words, func(known string) bool { return strings.EqualFold(word, known) })
	})
}
