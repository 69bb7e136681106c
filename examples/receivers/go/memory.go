package main

import (
	"encoding/json"
	"net/http"
	"sync"
)

const (
	deliveriesMax = 50_000
	blocksMax     = 100_000
)

type block struct {
	Number *uint64 `json:"number"`
	Hash   string  `json:"hash"`
}

type delivery struct {
	ID        string `json:"id"`
	WebhookID string `json:"webhookId"`
	Event     struct {
		Error          *string `json:"error"`
		SequenceNumber string  `json:"sequenceNumber"`
		Data           struct {
			Block block `json:"block"`
		} `json:"data"`
	} `json:"event"`
}

// parse reads a delivery; your app adds the members of its own query to the type above.
func parse(body []byte) (delivery, error) {
	var d delivery
	err := json.Unmarshal(body, &d)
	isWhole := isID(d.ID) && isID(d.WebhookID) && (d.Event.Error != nil || isNumber(d.Event.SequenceNumber))
	if err != nil || !isWhole {
		return d, refusal{http.StatusBadRequest, "the body is not a delivery"}
	}
	return d, nil
}

type height struct {
	webhookID string
	number    uint64
}

// A memory has what was taken. A real app has it in its database, in the transaction of its own work.
type memory struct {
	mutex  sync.Mutex
	taken  entries[string, bool]
	newest entries[height, string]
	blocks entries[uint64, string]
}

func newMemory() *memory {
	return &memory{
		taken:  newEntries[string, bool](deliveriesMax),
		newest: newEntries[height, string](blocksMax),
		blocks: newEntries[uint64, string](blocksMax),
	}
}

func (m *memory) take(d delivery, handle func(delivery, bool) error) (string, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.taken.byKey[d.ID] {
		return "repeat", nil
	}
	if !m.isNewest(d) {
		m.taken.keep(d.ID, true)
		return "stale", nil
	}
	number := d.Event.Data.Block.Number
	isRerun := false
	if number != nil {
		_, isRerun = m.blocks.byKey[*number]
	}
	// First the work: a delivery that could not be handled has to come again.
	if err := handle(d, isRerun); err != nil {
		return "", err
	}
	m.taken.keep(d.ID, true)
	if number != nil {
		m.newest.keep(height{d.WebhookID, *number}, d.Event.SequenceNumber)
		m.blocks.keep(*number, d.Event.Data.Block.Hash)
	}
	return "taken", nil
}

// isNewest: after a reorganisation a height comes again; its highest sequence number is right.
func (m *memory) isNewest(d delivery) bool {
	number := d.Event.Data.Block.Number
	if number == nil {
		return true
	}
	known := m.newest.byKey[height{d.WebhookID, *number}]
	mine := d.Event.SequenceNumber
	// Decimal numbers of any length, without zeros in front: the longer one is the greater.
	return len(mine) > len(known) || len(mine) == len(known) && mine >= known
}

func (m *memory) chain() map[uint64]string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	chain := make(map[uint64]string, len(m.blocks.byKey))
	for number, hash := range m.blocks.byKey {
		chain[number] = hash
	}
	return chain
}

// entries forget the oldest when there are too many.
type entries[K comparable, V any] struct {
	byKey map[K]V
	order []K
	max   int
}

func newEntries[K comparable, V any](max int) entries[K, V] {
	return entries[K, V]{byKey: map[K]V{}, max: max}
}

func (e *entries[K, V]) keep(key K, value V) {
	if _, isKnown := e.byKey[key]; !isKnown {
		e.order = append(e.order, key)
	}
	e.byKey[key] = value
	for len(e.order) > e.max {
		delete(e.byKey, e.order[0])
		e.order = e.order[1:]
	}
}
