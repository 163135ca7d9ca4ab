package shell

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/excerpt"
	"github.com/seed49eaa51d/pegboard/internal/proc"
)

// MaxFileForCode is the number of bytes of output that a command may print which code runs.
// It is our choice: a command should itself write a longer output to a file.
const MaxFileForCode = 256 << 20

// forCode reports whether code made the call, which wants the whole output as it was
// printed.
func (k *command) forCode() bool { return k.call.Parent() != nil }

// maxFile returns the maximum size of the file of the output.
func (k *command) maxFile() int64 {
	if k.forCode() {
		return MaxFileForCode
	}
	return MaxStored
}

// fillValue sets what code gets, with the tool's own notes, and the output for hooks: the
// same if it is short enough. The call is a failure for code if the command was ended, since
// the output is not whole.
func (k *command) fillValue(out *Output, exit proc.Exit, notes string) {
	total := exit.Output.Total
	data, err := k.wholeOutput(exit)
	isText := utf8.Valid(data)
	if err == nil && !isText {
		err = k.fileErr(exit)
	}
	if err == nil && isText {
		out.Stdout = string(data)
	} else {
		out.setExcerpt(excerpt.Ends(k.excerptSource(exit), k.options.MaxShown), total)
	}
	var whole any = out.Stdout
	switch {
	case exit.Err != nil:
		k.setFailure(out, failureKind(out), out.text())
		return
	case errors.Is(err, errInFile): // it is not known whether all of it is text
		whole, out.keepFile = pegboard.FileValue{Path: k.outputFile, Size: total, MIME: "text/plain; charset=utf-8"}, true
	case err != nil:
		k.setFailure(out, pegboard.KindFailed, fmt.Sprintf("The command printed %d bytes, of which not all could be kept: %v. "+
			"Let it write to a file, or print less.", total, err))
		return
	case !isText:
		whole, out.keepFile = pegboard.FileValue{Path: k.outputFile, Size: total}, true
	}
	k.setValue(out, whole, notes)
}

// failureKind returns how a command was ended.
func failureKind(out *Output) string {
	switch {
	case out.Interrupted:
		return pegboard.KindCancelled
	case out.TimedOutAfterMS > 0:
		return pegboard.KindTimeout
	}
	return pegboard.KindFailed
}

// errInFile says that an output is too long for memory.
var errInFile = errors.New("it is in a file")

// wholeOutput returns the output as it was printed, or errInFile.
func (k *command) wholeOutput(exit proc.Exit) ([]byte, error) {
	if exit.Output.Omitted == 0 {
		return slices.Concat(exit.Output.Head, exit.Output.Tail), nil
	}
	switch err := k.fileErr(exit); {
	case err != nil:
		return nil, err
	case exit.Stored < exit.Output.Total:
		return nil, fmt.Errorf("more than %d bytes", MaxFileForCode)
	case exit.Output.Total > pegboard.MaxInMemory:
		return nil, errInFile
	}
	return os.ReadFile(k.outputFile)
}

// fileErr returns why no file has the output, or nil.
func (k *command) fileErr(exit proc.Exit) error {
	if k.outputFile == "" {
		return k.outputFileErr
	}
	return exit.FileErr
}

// setValue sets what code gets of a command that has ended by itself, or was started in the
// background. The output is a string or a FileValue.
func (k *command) setValue(out *Output, stdout any, notes string) {
	if !k.forCode() {
		return
	}
	v := map[string]any{"stdout": stdout, "stderr": notes, "exitCode": out.ExitCode, "interrupted": out.Interrupted}
	if out.ReturnCodeInterpretation != "" {
		v["returnCodeInterpretation"] = out.ReturnCodeInterpretation
	}
	if out.BackgroundTaskID != "" {
		v["backgroundTaskId"], v["rawOutputPath"], v["exitCode"] = out.BackgroundTaskID, out.RawOutputPath, nil
	}
	out.value = v
}

// setFailure makes the call a failure for code.
func (k *command) setFailure(out *Output, kind, text string) {
	if k.forCode() {
		out.value = &pegboard.CodeError{Kind: kind, Text: strings.TrimSpace(text)}
	}
}
