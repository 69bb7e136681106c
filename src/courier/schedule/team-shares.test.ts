import { describe, expect, test } from 'bun:test'
import {
  allocate,
  over,
  takeAll,
  wanting,
} from '../../../tests/support/deliveries/scheduled-webhooks.ts'
import { noteOutcome } from '../../core/delivery/host-health.ts'
import { endGrant, releaseSlot, SLOTS_MAX, type SlotGrant, takeBytes } from './allocate-slots.ts'
import { dropWebhook, openSchedule, type Schedule } from './schedule.ts'

describe('teams', () => {
  test('know of a server what befell themselves there, by its scheme and port', () => {
    const schedule = openSchedule()
    const hosts = [
      ['team_a', 'http://h.example/a'],
      ['team_b', 'http://h.example/b'],
      ['team_b', 'https://h.example:80/b'],
      ['team_b', 'https://h.example/b'],
    ].map(([teamId = '', url = ''], at) => wanting(schedule, at, url, { teamId }).host)
    expect(new Set(hosts).size).toBe(4)
    for (const { health } of hosts.slice(1)) {
      for (let at = 0; at < 5; at++) {
        noteOutcome(health, { status: null, fault: 'tls', startedAtMs: 0 }, 0)
      }
    }
    expect(allocate(schedule).map(({ host }) => host.team.id)).toEqual(['team_a'])
  })

  test('may use nearly all slots while nobody else wants any', () => {
    const schedule = openSchedule()
    crowd(schedule, 'team_a', 300, { isProven: true })
    takeAll(schedule)
    expect(schedule.slots).toBeGreaterThanOrEqual(Math.floor((SLOTS_MAX * 8) / 9))
    expect(schedule.slots).toBeLessThan(SLOTS_MAX * 0.9)
  })

  test.each([{ isProven: true }, { isProven: false }])(
    'whose hosts hang leave slots to all others at once, and then share alike: %p',
    ({ isProven }) => {
      const schedule = openSchedule()
      crowd(schedule, 'team_a', 300, { isProven })
      const hanging = takeAll(schedule)
      crowd(schedule, 'team_b', 300, { isProven })
      const [first] = allocate(schedule) as [SlotGrant]
      expect(first.host.team.id).toBe('team_b')
      endGrant(schedule, first, first.slots)
      takeAll(schedule)
      const [a, b] = ['team_a', 'team_b'].map((id) => schedule.teams.get(id))
      expect(b?.slots).toBeGreaterThan(40)

      for (const grant of hanging) for (let at = 0; at < grant.slots; at++) giveOne(schedule, grant)
      const [least, most] = [a?.slots ?? 0, b?.slots ?? 0].sort((x, y) => x - y)
      expect(most).toBeLessThanOrEqual((least ?? 0) + 16)
      expect(schedule.slots).toBeGreaterThan(SLOTS_MAX * (isProven ? 0.9 : 0.45))
    },
  )

  test('leave retries to each other too', () => {
    const schedule = openSchedule()
    crowd(schedule, 'team_a', 300, { isProven: true, retries: true })
    takeAll(schedule)
    expect(schedule.retrySlots).toBeGreaterThan(256)
    crowd(schedule, 'team_b', 1, { isProven: true, retries: true })
    expect(allocate(schedule)).toMatchObject([{ lane: 'retry', host: { name: 'h0.team_b:443' } }])
  })

  test('always find room for one large body, whatever another holds', () => {
    const schedule = openSchedule()
    const largest = 10_500_000
    wanting(schedule, 1, 'https://one.example/')
    const [grant] = allocate(schedule) as [SlotGrant]
    let held = 0
    while (takeBytes(schedule, grant, largest)) held += 1
    expect(held).toBeGreaterThan(3)
    wanting(schedule, 2, 'https://two.example/', { teamId: 'team_b' })
    const [other] = allocate(schedule) as [SlotGrant]
    expect(takeBytes(schedule, other, largest)).toBe(true)
    // What the first gives back is for those who have less.
    releaseSlot(schedule, { ...grant, bytes: largest })
    wanting(schedule, 3, 'https://three.example/', { teamId: 'team_c' })
    const third = allocate(schedule).find(({ host }) => host.team.id === 'team_c') as SlotGrant
    expect(takeBytes(schedule, grant, largest)).toBe(false)
    expect(takeBytes(schedule, third, largest)).toBe(true)
  })

  test('are forgotten when nothing of them is left, and not while something is under way', () => {
    const schedule = openSchedule()
    const webhook = wanting(schedule, 1, 'https://one.example/')
    const [grant] = allocate(schedule) as [SlotGrant]
    endGrant(schedule, grant, 2)
    dropWebhook(schedule, webhook)
    expect(schedule.teams.get('team_a')).toMatchObject({ hosts: 0, slots: 2 })
    over(schedule, grant)
    const again = wanting(schedule, 2, 'https://two.example/')
    expect(again.host.team).toMatchObject({ hosts: 1, slots: 1 })
    dropWebhook(schedule, again)
    over(schedule, grant)
    expect(schedule.teams.size).toBe(0)
  })
})

/** Many hosts of one team, each with something to send. */
function crowd(
  schedule: Schedule,
  teamId: string,
  hosts: number,
  { isProven, retries = false }: { isProven: boolean; retries?: boolean },
): void {
  for (let at = 0; at < hosts; at++) {
    const number = schedule.webhooks.size
    const lanes = [retries ? 'retry' : 'new'] as const
    const webhook = wanting(schedule, number, `https://h${at}.${teamId}/`, { teamId }, lanes)
    webhook.host.isProven = isProven
  }
}

/** One of its deliveries is over, and whoever may takes what is free. */
function giveOne(schedule: Schedule, grant: SlotGrant): void {
  over(schedule, grant)
  takeAll(schedule)
}
