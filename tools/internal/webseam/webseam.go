// Package webseam lets tests of this module serve names and addresses of the internet on
// loopback. Only code below tools can import it.
package webseam

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/seed49eaa51d/pegboard"
	"github.com/seed49eaa51d/pegboard/internal/netguard"
)

// Seams stand in the place of the network of a [netguard.Guard]. Every address is judged as
// ever before it is given to Dial. The zero value is the real network.
type Seams struct {
	Resolver netguard.Resolver
	Dial     func(ctx context.Context, network, address string) (net.Conn, error)
	TLS      *tls.Config
}

// key holds the seams of a conversation.
var key = pegboard.NewKey[Seams]("seams of the web tools")

// Set gives the conversation of s its seams, before the first call of a tool.
func Set(s *pegboard.Session, seams Seams) { key.SetRoot(s, seams) }

// Apply puts the seams of s into g.
func Apply(s *pegboard.Session, g *netguard.Guard) {
	seams, _ := key.Get(s)
	g.Resolver, g.Dial, g.TLS = seams.Resolver, seams.Dial, seams.TLS
}
