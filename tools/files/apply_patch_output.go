package files

import "github.com/seed49eaa51d/pegboard"

// An ApplyPatchOutput is the Result.Data of an [ApplyPatch] call.
type ApplyPatchOutput struct {
	Files []PatchedFile `json:"files"` // in the order of the patch

	text  string // for the model
	diffs []pegboard.Diff
}
