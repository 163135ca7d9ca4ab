package languageserver

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

var (
	// ErrClosed is returned after [Pool.Close].
	ErrClosed = errors.New("the language servers of this conversation are closed")
	// ErrUnsupported says that a server does not offer an operation.
	ErrUnsupported = errors.New("the language server does not offer this")
	// ErrLanguage says that a server does not know the ending of a file.
	ErrLanguage = errors.New("the language server does not know files of this kind")
	// ErrNotText says that a file is neither UTF-8 nor UTF-16 with a byte order mark.
	ErrNotText = errors.New("the file is not text: neither UTF-8 nor UTF-16 with a byte order mark")
	// ErrTooLarge says that a file is larger than a document may be.
	ErrTooLarge = fmt.Errorf("the file is larger than %d MiB", maxDocument>>20)
	// ErrNotFile says that a path is not that of a regular file.
	ErrNotFile = errors.New("this is not a regular file")

	// The faults of a server for which it is killed.
	errFraming = errors.New("it did not speak the language server protocol")
	errDeaf    = errors.New("it does not read its input")
	errAsking  = errors.New("it asks back without an end")
	errEnded   = errors.New("it ended")
	errSlow    = errors.New("it did not answer in time")
	errIdle    = errors.New("it was not used")
)

// A StartError says that a server could not be started, or did not complete the handshake.
type StartError struct {
	Server string
	Err    error
	Stderr string // the end of its stderr, at most 2,000 bytes
}

func (e *StartError) Error() string {
	return fmt.Sprintf("language server %s did not start: %v%s", e.Server, e.Err, lastWords(e.Stderr))
}

func (e *StartError) Unwrap() error { return e.Err }

// A CrashError says that a server ended during a request or too often.
type CrashError struct {
	Server string
	Err    error
	// Gone says that it is not started again now, since it was four times in five minutes.
	Gone   bool
	Stderr string // the end of its stderr, at most 2,000 bytes
}

func (e *CrashError) Error() string {
	again := ""
	if e.Gone {
		again = fmt.Sprintf(", %d times in %v; it is started again when these are over", maxStarts, startsWindow)
	}
	return fmt.Sprintf("language server %s crashed: %v%s%s", e.Server, e.Err, again, lastWords(e.Stderr))
}

func (e *CrashError) Unwrap() error { return e.Err }

// A TimeoutError says that a server did not answer a request in time.
type TimeoutError struct {
	Server   string
	After    time.Duration
	Progress []string // titles of its current work, from the server
}

func (e *TimeoutError) Error() string {
	busy := "it may still be indexing"
	if len(e.Progress) > 0 {
		busy = "it is busy with: " + strings.Join(e.Progress, ", ")
	}
	return fmt.Sprintf("language server %s did not answer within %v; %s", e.Server, e.After, busy)
}

// A ResponseError is a request that a server refused.
type ResponseError struct {
	Server  string
	Code    int
	Message string // from the server, at most 2,000 bytes
}

func (e *ResponseError) Error() string {
	return fmt.Sprintf("language server %s: %s (code %d)", e.Server, e.Message, e.Code)
}

// A PositionError says that a position is not in its file.
type PositionError struct {
	Position Position
	Lines    int // of the file
	Columns  int // of the line, or 0 if there is no such line; one more is the end of the line
}

func (e *PositionError) Error() string {
	switch {
	case e.Position.Line < 1 || e.Position.Column < 1:
		return "lines and columns are counted from 1"
	case e.Position.Line > e.Lines:
		return fmt.Sprintf("there is no line %d: the file has %d lines", e.Position.Line, e.Lines)
	}
	return fmt.Sprintf("there is no column %d: line %d has %d characters", e.Position.Column, e.Position.Line, e.Columns)
}

func lastWords(stderr string) string {
	if stderr == "" {
		return ""
	}
	return "; its last output: " + stderr
}
