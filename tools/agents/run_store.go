package agents

import (
	"encoding/json"
	"errors"
	"fmt"
)

// keepOnDisk opens the file of the agent's conversation and writes its record.
func (k *run) keepOnDisk() (err error) {
	if k.roster.store == nil {
		return nil
	}
	t, err := openTranscript(k.roster.store.transcriptPath(k.agent.ID))
	if err != nil {
		return fmt.Errorf("the conversation of the agent cannot be kept: %w", err)
	}
	k.mu.Lock()
	k.transcript = t
	k.mu.Unlock()
	return k.roster.record(k)
}

// keepMessages adds messages to the conversation. If they cannot be kept on the disk, none is
// added.
func (k *run) keepMessages(messages []json.RawMessage) error {
	for i, m := range messages {
		if !json.Valid(m) {
			return fmt.Errorf("message %d of %d is not JSON", i+1, len(messages))
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ended {
		return fmt.Errorf("%w: its conversation is closed", ErrEnded)
	}
	if k.transcript != nil {
		if err := k.transcript.add(messages); err != nil {
			return fmt.Errorf("the conversation of the agent cannot be kept: %w", err)
		}
	}
	k.history = append(k.history, messages...)
	return k.write(messages)
}

// closeTranscript closes the file of the conversation.
func (k *run) closeTranscript() error {
	k.mu.Lock()
	t := k.transcript
	k.transcript = nil
	k.mu.Unlock()
	if t == nil {
		return nil
	}
	return t.close()
}

// leave records how the agent has ended.
func (k *run) leave(state State, why error) {
	if err := errors.Join(k.closeTranscript(), k.roster.leave(k, state, why)); err != nil {
		k.g.options.logger().Error("the end of an agent cannot be kept", "agent", k.agent.ID, "error", err)
	}
}
