// Package agents has the tools that start, tell and end agents, and the definitions of what
// each kind of agent is for and may use.
package agents
