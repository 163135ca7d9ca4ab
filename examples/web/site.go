package main

import (
	"embed"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

//go:embed site
var folder embed.FS

// A site is served on a port of this machine. Another port has a server that only this machine
// should reach.
type site struct {
	pages       fs.FS
	port        string
	privateHost string
	private     atomic.Int64 // requests to it
	servers     []*http.Server
}

func serveSite() (*site, error) {
	pages, err := fs.Sub(folder, "site")
	if err != nil {
		return nil, err
	}
	s := &site{pages: pages}
	s.privateHost, err = s.listen(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.private.Add(1) }))
	if err != nil {
		return nil, err
	}
	public := http.NewServeMux()
	public.Handle("/", http.FileServerFS(pages))
	public.HandleFunc("/download", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.address("127.0.0.1", "/install.html"), http.StatusMovedPermanently)
	})
	public.Handle("/status", http.RedirectHandler("http://"+s.privateHost+"/keys", http.StatusFound))
	address, err := s.listen(public)
	if err == nil {
		_, s.port, err = net.SplitHostPort(address)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// listen serves h on a free port.
func (s *site) listen(h http.Handler) (address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", errors.Join(errors.New("no port to listen on"), err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	s.servers = append(s.servers, server)
	go func() { _ = server.Serve(listener) }() // close ends it
	return listener.Addr().String(), nil
}

func (s *site) host(name string) string { return net.JoinHostPort(name, s.port) }

func (s *site) address(name, path string) string { return "http://" + s.host(name) + path }

func (s *site) close() {
	for _, server := range s.servers {
		_ = server.Close()
	}
}
