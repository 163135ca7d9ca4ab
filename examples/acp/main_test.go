package main

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// story is what the program prints.
const story = `> Write a note about this folder.
  I look at what is here.
  * Write a list of todos, 2 in all [completed]
      The list of todos was replaced: 1 in progress, 1 pending.
  plan: Look around: in_progress, Write a note: pending
  * Find * [completed]
      Found 0 files
      No files found
      [The directory is empty.]
  I write a note.
  ? Write pegboard-note.md
      allow_once     Allow once
      allow_always   Allow, and from now on: allow Edit(/pegboard-note.md) in session
      allow_always_2 Allow, and from now on: mode acceptEdits
      reject_once    Reject
      reject_always  Reject, and from now on: deny Edit(/pegboard-note.md) in session
    the user selects allow_always
  * Write pegboard-note.md [completed]
      Created with 3 lines
      + # Notes
      + 
      + - Written by an agent
  * Edit pegboard-note.md [completed]
      Added 1 line, removed 1 line
      - # Notes
      - 
      - - Written by an agent
      + # Notes
      + 
      + - Written by an agent in your editor
  * Write a list of todos, 2 in all [completed]
      The list of todos was replaced: 2 completed.
  plan: Look around: completed, Write a note: completed
  Done.
  (end_turn)
> Remove it again.
  I remove the note.
  ? Run rm pegboard-note.md
      allow_once     Allow once
      allow_always   Allow, and from now on: allow Bash(rm pegboard-note.md) in session
      allow_always_2 Allow, and from now on: mode acceptEdits
      reject_once    Reject
      reject_always  Reject, and from now on: deny Bash(rm pegboard-note.md) in session
    the user cancels
  * Run rm pegboard-note.md [failed]
      Stopped by the user
  (cancelled)
`

func TestPlay(t *testing.T) {
	t.Parallel()
	h, err := newHost()
	require.NoError(t, err)
	for range 2 {
		var out strings.Builder
		require.NoError(t, play(t.Context(), h.agent, &out))
		require.Equal(t, story, out.String())
	}
}

// TestEditorThatLeaves answers an editor that sends one request and leaves.
func TestEditorThatLeaves(t *testing.T) {
	t.Parallel()
	h, err := newHost()
	require.NoError(t, err)
	in, editorOut := io.Pipe()
	editorIn, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- h.agent.Serve(t.Context(), in, out) }()
	_, err = io.WriteString(editorOut, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n")
	require.NoError(t, err)
	line, err := bufio.NewReader(editorIn).ReadBytes('\n')
	require.NoError(t, err)
	var m message
	require.NoError(t, json.Unmarshal(line, &m))
	require.Equal(t, 1, m.Result.Version)
	require.NoError(t, editorOut.Close())
	require.NoError(t, <-served)
}
