package shellparse

import "strings"

// gitSummaryFlags are flags with which a diff shows the names of files and numbers, unless
// one of gitPatchFlags asks for the content, too.
var gitSummaryFlags = []string{"-s", "--no-patch", "--stat", "--numstat", "--shortstat", "--summary", "--compact-summary", "--name-only", "--name-status",
	"--raw", "--quiet"}

// gitShownFiles returns the files of gitReadFiles, with what is known of those in a tree
// that git shows: it shows what it tracks, and leaves out what a pathspec excludes.
func gitShownFiles(w gitWords, form gitForm, dir string) []file {
	filter := w.takeExclusions()
	files := gitReadFiles(w, form, dir)
	searches := form.defaultsToDir
	summary := !searches && w.has(gitSummaryFlags...) && !w.has(gitPatchFlags...)
	outside := false // then git may compare files that it does not track
	for _, a := range w.operands {
		outside = outside || form.operandsAreFiles && mayLeaveDir(a.value)
	}
	tracked := !outside && !w.has("--untracked")
	for i := range files {
		f := &files[i]
		if f.tree && (f.guess || form.operandsAreFiles) && f.value != dir {
			f.namesOnly, f.tracked, f.noIndex, f.filter = summary, tracked, searches || form.operandsAreFiles, filter
		}
	}
	if shows := form.showsContent || form.showsPatches && w.has(gitPatchFlags...); shows && !summary && !searches && len(w.paths) == 0 && len(w.operands) == 0 {
		all := gitAllFiles(dir)
		all.tracked, all.filter = tracked, filter
		files = append(files, all)
	}
	return files
}

// excludesPaths reports whether a pathspec takes away from what others match.
func excludesPaths(pathspec string) bool {
	for _, start := range []string{":!", ":^", ":(exclude)", ":(exclude,glob)", ":(glob,exclude)", ":(exclude,top)", ":(top,exclude)"} {
		if strings.HasPrefix(pathspec, start) {
			return true
		}
	}
	return false
}

// takeExclusions removes the pathspecs that exclude something, and returns those that
// exclude a name at any depth as a filter.
func (w *gitWords) takeExclusions() *NameFilter {
	f := &NameFilter{every: true, LeaveOut: "-- ':(exclude,glob)**/NAME'"}
	var kept []arg
	for _, a := range w.paths {
		name, ok := strings.CutPrefix(a.value, ":(exclude,glob)**/")
		if !ok {
			name, ok = strings.CutPrefix(a.value, ":(glob,exclude)**/")
		}
		if ok && a.isLiteral() && isNameGlob(name) && !strings.Contains(name, "**") {
			f.steps = append(f.steps, nameStep{glob: name})
		}
		if !a.isLiteral() || !excludesPaths(a.value) {
			kept = append(kept, a)
		}
	}
	w.paths = kept
	return f
}
