package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/seed49eaa51d/pegboard"
)

// An Answer joins the answers of all hooks of one event. The zero Answer changes nothing. Texts are not longer than 10,000 characters.
type Answer struct {
	// Block says that the event must not happen: the prompt is not sent, the task not created,
	// the compaction or the change of a setting not done. For Stop, SubagentStop and
	// TeammateIdle it says that the agent goes on.
	Block bool
	// Reason is why. It is for the model where Block makes an agent go on, and of TaskCreated
	// and TaskCompleted; of the other events it is for the person.
	Reason string
	// Stop says that the agent must stop altogether, whatever Block says. Options.Message was
	// told why.
	Stop bool
	// Context are texts for the model, in the order of the hooks. Each names its hook and is
	// marked as words that are not the user's; so is Reason where an agent goes on.
	Context []string

	SessionTitle       string   // of SessionStart, UserPromptSubmit and UserPromptExpansion
	InitialUserMessage string   // of SessionStart: the first message, as if the user had written it
	SuppressPrompt     bool     // of UserPromptSubmit and UserPromptExpansion: the original prompt is not shown
	WatchPaths         []string // of SessionStart, CwdChanged and FileChanged: files to watch
	ReloadSkills       bool     // of SessionStart
	WorktreePath       string   // of WorktreeCreate: the directory that the hook has made
	Display            *string  // of MessageDisplay: the text to show instead, or nil
}

// join adds the answer of another hook of the event. Of texts that there can be one of, the
// first counts.
func (a *Answer) join(b *Answer) {
	switch {
	case a.Reason == "" || !a.Block && b.Block:
		a.Reason = b.Reason
	case b.Block && b.Reason != "":
		a.Reason += "\n" + b.Reason
	}
	a.Block, a.Stop = a.Block || b.Block, a.Stop || b.Stop
	a.Context = append(a.Context, b.Context...)
	for _, text := range []struct{ to, from *string }{
		{&a.SessionTitle, &b.SessionTitle}, {&a.InitialUserMessage, &b.InitialUserMessage}, {&a.WorktreePath, &b.WorktreePath},
	} {
		if *text.to == "" {
			*text.to = *text.from
		}
	}
	a.SuppressPrompt, a.ReloadSkills = a.SuppressPrompt || b.SuppressPrompt, a.ReloadSkills || b.ReloadSkills
	for _, path := range b.WatchPaths {
		if !slices.Contains(a.WatchPaths, path) {
			a.WatchPaths = append(a.WatchPaths, path)
		}
	}
	if a.Display == nil {
		a.Display = b.Display
	}
}

// read reads the output of a handler.
func (o *occasion) read(h *Handler, out output) *reply {
	r := &reply{handler: h}
	if out.background {
		return r
	}
	asks := h.Type == typePrompt || h.Type == typeAgent
	if asks && out.failure == nil {
		o.readPrompt(r, out.text())
	} else {
		o.readAnswer(r, &out)
		o.readCode(r, &out)
	}
	if r.failure != nil {
		o.runner.options.problem(h, r.failure)
		if o.control.strict && o.runner.options.Strict && !r.Block && (o.control.blocks || !asks) {
			r.refuse(fmt.Sprintf("%s must be passed, and %s. Tell the user; repeating it will not help.", h.name(), shortReason(r.failure)))
			r.ours = true
		}
	}
	return r
}

// readAnswer reads the answer as JSON if it is that.
func (o *occasion) readAnswer(r *reply, out *output) {
	r.failure = out.failure
	text := out.text()
	switch {
	case text == "" && out.failure == nil:
		return
	case out.failure == nil && !out.cut && strings.HasPrefix(text, "{"):
		m, err := readMembers([]byte(text))
		if err == nil {
			o.readMembers(r, m)
			err = errors.Join(*m.problems...)
		}
		if err == nil && o.event == preToolUse && !r.Block && findRefusal([]byte(text)).blocks {
			err = errors.New("it denies in a place that is not for that")
		}
		if err == nil {
			return
		}
		*r = reply{handler: r.handler, message: r.message}
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
	case out.failure == nil && out.cut && strings.HasPrefix(text, "{"):
		r.failure = fmt.Errorf("%w: it is longer than %d bytes", errAnswer, maxStdout)
		if o.control.gate { // not the hook's fault, so it must not be to its cost
			r.refuse(fmt.Sprintf("the answer of %s is too long to be read. Tell the user.", r.handler.name()))
			r.ours = true
		}
	case out.failure == nil && out.json:
		r.failure = fmt.Errorf("%w: it is no JSON object", errAnswer)
	case out.failure == nil && o.control.context && out.code == 0:
		r.Context = append(r.Context, text)
		return
	case out.failure == nil && !o.control.gate: // plain text counts in no other event
		r.printed = text
		return
	}
	found := findRefusal([]byte(text))
	if !found.blocks && !found.stops || o.control.code2 == codeIgnored && !o.control.gate {
		return
	}
	if r.failure == nil {
		r.failure = fmt.Errorf("%w: there is text before it", errAnswer)
	}
	r.Stop = r.Stop || found.stops
	if found.blocks && o.control.blocks || o.control.gate {
		r.refuse(found.reason)
	}
}

// readCode reads the exit code of a command.
func (o *occasion) readCode(r *reply, out *output) {
	switch {
	case out.code == 0:
	case out.code == 2 && o.control.code2 != codeIgnored:
		o.readCode2(r, out)
	case out.code == 2 && o.event == permissionRequest && !r.Block: // its stderr is dropped
		r.failure = fmt.Errorf("%w: code 2 decides nothing here, so the person is asked", errCode)
		r.allow, r.input, r.updates = false, nil, nil
	case o.event == worktreeCreate:
		r.failure = fmt.Errorf("%w: code %d: %s", errCode, out.code, out.firstError())
	case r.failure == nil && strings.HasPrefix(out.text(), "{"): // its JSON alone decides
	default:
		err := fmt.Errorf("%w: code %d: %s", errCode, out.code, out.firstError())
		r.failure = errors.Join(r.failure, err)
	}
}

// readCode2 reads an exit code of 2, which no JSON undoes.
func (o *occasion) readCode2(r *reply, out *output) {
	reason := r.Reason
	if !r.Block || reason == "" {
		reason = strings.TrimSpace(out.stderr)
	}
	switch o.control.code2 {
	case codeBlocks:
		if o.event == configChange && o.policy {
			r.failure = fmt.Errorf("%w: a change of managed settings cannot be refused", errCode)
			return
		}
		r.refuse(reason)
	case codeTells:
		r.Block, r.Reason = true, reason
	case codePerson:
		r.message = strings.TrimSpace(r.message + "\n" + reason)
	}
	r.failure = nil // other faults of its output do not matter
}

// readMembers reads an answer that is a JSON object.
func (o *occasion) readMembers(r *reply, m members) {
	if !m.flag("continue", true) && o.event != taskCreated {
		r.Stop = true
	}
	r.stopReason, r.message, r.terminal = m.text("stopReason"), m.text("systemMessage"), m.text("terminalSequence")
	m.flag("suppressOutput", false)
	decision := m.word("decision", "block", "approve")
	reason := m.text("reason")
	if decision == "block" && o.control.blocks && (o.event != configChange || !o.policy) {
		r.Block, r.Reason = true, reason
	}
	r.allow = decision == "approve" && o.event == preToolUse
	s := m.object("hookSpecificOutput")
	if name := s.text("hookEventName"); name != o.event && s.values != nil {
		s.problem("hookSpecificOutput.hookEventName is %q and not %q", name, o.event)
	}
	if text := s.text("additionalContext"); text != "" {
		r.Context = append(r.Context, text)
	}
	switch o.event {
	case preToolUse:
		r.readPermission(s, reason)
	case permissionRequest:
		r.readRequest(s)
	case permissionDenied:
		r.retry = s.flag("retry", false)
	case postToolUse:
		r.toolOutput, r.mcpToolOutput = s.get("updatedToolOutput"), s.get("updatedMCPToolOutput")
	case elicitation, elicitationResult:
		r.action = pegboard.ElicitAction(s.word("action", string(pegboard.ElicitAccept), string(pegboard.ElicitDecline), string(pegboard.ElicitCancel)))
		r.content = s.get("content")
	default:
		r.readLoop(m, s)
	}
}

// readPrompt reads the answer of a model.
func (o *occasion) readPrompt(r *reply, text string) {
	m, err := readMembers([]byte(withoutFence(text)))
	if err == nil && m.get("ok") == nil {
		err = errors.New("ok is missing")
	}
	if err != nil {
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
		if found := findRefusal([]byte(text)); found.no && o.control.blocks && !o.control.goesOn {
			o.refuseByModel(r, found.reason)
		}
		return
	}
	ok, reason, impossible := m.flag("ok", true), m.text("reason"), m.flag("impossible", false)
	if err := errors.Join(*m.problems...); err != nil {
		r.failure = fmt.Errorf("%w: %w", errAnswer, err)
	}
	if ok || !o.control.blocks || impossible && o.control.goesOn {
		return
	}
	o.refuseByModel(r, reason)
}

// refuseByModel makes the reply of a model block.
func (o *occasion) refuseByModel(r *reply, reason string) {
	r.Block, r.Reason = true, reason
	r.Stop = o.event == preToolUse && r.handler.Type == typePrompt && !r.handler.ContinueOnBlock
}

// withoutFence returns an answer of a model without the lines ``` around it.
func withoutFence(text string) string {
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
	if !strings.HasPrefix(text, "```") {
		return text
	}
	_, text, _ = strings.Cut(text, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
}

// An output holds the output of one handler, before it is read.
type output struct {
	stdout []byte // or the body of a response, or the text of a tool
	stderr string
	code   int  // exit code of a command; 0 for others
	cut    bool // the end of stdout was dropped
	// failure says why the handler gave no answer, or only a part of one. In such a part, only
	// a refusal or a stop counts.
	failure error
	// broken is the error that cut off a response, or nil.
	broken error
	// json says that anything but an object is wrong, as in the body of a response.
	json bool
	// background says that a command goes on and that its answer decides nothing.
	background bool
}

// text returns stdout without a byte order mark and without blanks around it.
func (o *output) text() string {
	return strings.TrimSpace(strings.TrimPrefix(string(o.stdout), "\ufeff"))
}

// firstError returns the first line of stderr that shows something.
func (o *output) firstError() string {
	line, _, _ := strings.Cut(strings.TrimSpace(o.stderr), "\n")
	return strings.TrimSpace(line)
}
