// Package results has [Read], the tool with which a model reads on in results that
// were too long to be shown. A host needs it if it has not the tools Read and Grep of
// package files, or if its store keeps results elsewhere than in files. It works with
// any [pegboard.ResultStore].
//
// [ReadMoreHint] makes the notices of stored results name the tool:
//
//	pegboard.SessionConfig{Limits: pegboard.ResultLimits{ReadMoreHint: results.ReadMoreHint}}
package results
