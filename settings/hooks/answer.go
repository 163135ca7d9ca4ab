package hooks

import "slices"

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
	Display            *string  // of MessageDisplay: what is shown instead, or nil
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
