package edit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed49eaa51d/pegboard/tools/files/internal/edit"
)

func TestReplaceRefusesOmissions(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"// ... rest of code unchanged ...",
		"// ... rest of the code ...",
		"// ...rest of the file stays the same",
		"\t// rest of the implementation remains unchanged...",
		"# ... existing code ...",
		"# ... remaining methods unchanged ...",
		"/* ... existing code ... */",
		"/* ... rest of styles",
		"<!-- ... existing content ... -->",
		"{/* ... existing code ... */}",
		"-- ... previous code ...",
		"; ... the remaining lines ...",
		"... existing code ...",
		"(rest of code ...)",
		"(... rest of methods ...)",
		"// ... other methods stay the same ...",
		"// … existing code …",
		"[... unchanged lines ...]",
		"// ... (rest of the code unchanged)",
		"// ... keep existing code",
		"  # ... rest of the function body ...",
		"// ... (existing code) ...",
	} {
		_, err := parse(t, "a\n").Replace(edit.Replacement{Old: "a", New: "x\n" + line + "\ny"})
		var omitted *edit.OmissionError
		require.ErrorAs(t, err, &omitted, "%q", line)
	}
}

func TestReplaceAcceptsEllipses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"...",
		"// ...",
		"/* ... */",
		"# ... existing codebase conventions apply here ...",
		"func f(args ...string) {",
		"f(rest...)",
		"const { a, ...rest } = props;",
		"[...existing, next]",
		"// rest of the code",
		"// existing code is kept",
		"// the remaining lines are parsed by scan below",
		"// Loading ...",
		`log("rest of code unchanged ...")`,
		"print('... existing code ...')",
		"// ... and so on for the remaining nodes of the tree",
		"// wait for the rest of the lines ... then go on",
		"...rest",
		"...existing",
		"    ...previousFields,",
		"// see existing code for f ...",
		"- the rest of the file ... is data",
	} {
		_, err := parse(t, "a\n").Replace(edit.Replacement{Old: "a", New: "x\n" + line + "\ny"})
		require.NoError(t, err, "%q", line)
	}
	_, err := parse(t, "a\n  // ... existing code ...\n").Replace(edit.Replacement{Old: "a\n  // ... existing code ...", New: "b\n// ... existing code ..."})
	require.NoError(t, err, "the old text has it")
}
