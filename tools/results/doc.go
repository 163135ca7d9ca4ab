// Package results provides [Read], the tool with which a model reads the rest of a
// result that was too long to show. A host needs it if it does not offer Read and
// Grep of package files, or if its store does not keep results in files. The tool
// works with any [pegboard.ResultStore].
//
// [ReadMoreHint] makes the notices of stored results name the tool:
//
//	pegboard.SessionConfig{Limits: pegboard.ResultLimits{ReadMoreHint: results.ReadMoreHint}}
package results
