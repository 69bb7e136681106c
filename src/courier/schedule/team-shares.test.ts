import { describe, expect, test } from 'bun:test'
import { sent, takeAll, wanting } from '../../../tests/support/schedule-lines.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import { endTurn, leavePlace, PLACES_MAX, pickTurns, type Turn, takeBytes } from './pick-turns.ts'
import { dropLine, openSchedule, type Schedule } from './schedule.ts'

describe('teams', () => {
  test('know of a server what befell themselves there, by its scheme and port', () => {
    const schedule = openSchedule()
    const hosts = [
      ['team_a', 'http://h.example/a'],
      ['team_b', 'http://h.example/b'],
      ['team_b', 'https://h.example:80/b'],
      ['team_b', 'https://h.example/b'],
    ].map(([teamId = '', url = ''], at) => wanting(schedule, `wh_${at}`, url, { teamId }).host)
    expect(new Set(hosts).size).toBe(4)
    for (const { health } of hosts.slice(1)) {
      for (let at = 0; at < 5; at++) {
        noteOutcome(health, { status: null, fault: 'tls', startedAtMs: 0 }, 0)
      }
    }
    expect(pickTurns(schedule, 0).map(({ line }) => line.webhook.teamId)).toEqual(['team_a'])
  })

  test('may use nearly all places while nobody else wants any', () => {
    const schedule = openSchedule()
    crowd(schedule, 'team_a', 300, { answers: true })
    takeAll(schedule)
    expect(schedule.inFlight).toBeGreaterThanOrEqual(Math.floor((PLACES_MAX * 8) / 9))
    expect(schedule.inFlight).toBeLessThan(PLACES_MAX * 0.9)
  })

  test.each([{ answers: true }, { answers: false }])(
    'whose hosts hang leave places to all others at once, and then share alike: %p',
    ({ answers }) => {
      const schedule = openSchedule()
      crowd(schedule, 'team_a', 300, { answers })
      const hanging = takeAll(schedule)
      crowd(schedule, 'team_b', 300, { answers })
      const [first] = pickTurns(schedule, 0) as [Turn]
      expect(first.host.team.id).toBe('team_b')
      endTurn(schedule, first, first.places, true)
      takeAll(schedule)
      const [a, b] = ['team_a', 'team_b'].map((id) => schedule.teams.get(id))
      expect(b?.inFlight).toBeGreaterThan(40)

      for (const turn of hanging) for (let at = 0; at < turn.places; at++) giveOne(schedule, turn)
      const [least, most] = [a?.inFlight ?? 0, b?.inFlight ?? 0].sort((x, y) => x - y)
      expect(most).toBeLessThanOrEqual((least ?? 0) + 16)
      expect(schedule.inFlight).toBeGreaterThan(PLACES_MAX * (answers ? 0.9 : 0.45))
    },
  )

  test('leave retries to each other too', () => {
    const schedule = openSchedule()
    crowd(schedule, 'team_a', 300, { answers: true, retries: true })
    takeAll(schedule)
    expect(schedule.retriesInFlight).toBeGreaterThan(256)
    crowd(schedule, 'team_b', 1, { answers: true, retries: true })
    expect(pickTurns(schedule, 0)).toMatchObject([
      { lane: 'retry', host: { name: 'h0.team_b:443' } },
    ])
  })

  test('always find room for one large body, whatever another holds', () => {
    const schedule = openSchedule()
    const largest = 10_500_000
    const holder = wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0) as [Turn]
    let held = 0
    while (takeBytes(schedule, turn, largest)) held += 1
    expect(held).toBeGreaterThan(3)
    wanting(schedule, 'wh_b', 'https://two.example/', { teamId: 'team_b' })
    const [other] = pickTurns(schedule, 0) as [Turn]
    expect(takeBytes(schedule, other, largest)).toBe(true)
    // What the first gives back is for those who have less.
    leavePlace(schedule, { ...turn, line: holder, bytes: largest, isRetry: false })
    wanting(schedule, 'wh_c', 'https://three.example/', { teamId: 'team_c' })
    const third = pickTurns(schedule, 0).find(({ host }) => host.team.id === 'team_c') as Turn
    expect(takeBytes(schedule, turn, largest)).toBe(false)
    expect(takeBytes(schedule, third, largest)).toBe(true)
  })

  test('are forgotten when nothing of them is left, and not while something is under way', () => {
    const schedule = openSchedule()
    const line = wanting(schedule, 'wh_a', 'https://one.example/')
    const [turn] = pickTurns(schedule, 0) as [Turn]
    endTurn(schedule, turn, 2, false)
    dropLine(schedule, line)
    expect(schedule.teams.get('team_a')).toMatchObject({ hosts: 0, inFlight: 2 })
    sent(schedule, turn)
    const again = wanting(schedule, 'wh_b', 'https://two.example/')
    expect(again.host.team).toMatchObject({ hosts: 1, inFlight: 1 })
    dropLine(schedule, again)
    sent(schedule, turn)
    expect(schedule.teams.size).toBe(0)
  })
})

/** Many hosts of one team, each with something to send. */
function crowd(
  schedule: Schedule,
  teamId: string,
  hosts: number,
  { answers, retries = false }: { answers: boolean; retries?: boolean },
): void {
  for (let at = 0; at < hosts; at++) {
    const id = `wh_${teamId}_${at}`
    const line = wanting(schedule, id, `https://h${at}.${teamId}/`, { teamId }, retries)
    line.host.answers = answers
    if (!retries) continue
    line.wants.first = false
    line.host.fresh.clear()
  }
}

/** One of its deliveries is over, and whoever may takes what is free. */
function giveOne(schedule: Schedule, turn: Turn): void {
  sent(schedule, turn)
  takeAll(schedule)
}
