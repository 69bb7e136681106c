import { expect, test } from 'bun:test'
import { signalsConformance } from '../../../tests/conformance/signals-conformance.ts'
import { openMachineSignals } from './machine-signals.ts'

signalsConformance('machine', async () => openMachineSignals())

test('a text is published once every other process has received it', async () => {
  const signals = openMachineSignals()
  const received: string[] = []
  const gate = Promise.withResolvers<void>()
  signals.subscribe('exam', (text) => received.push(`main ${text}`))
  const first = signals.join(async (_topic, text) => void received.push(`first ${text}`))
  signals.join(async (_topic, text) => {
    received.push(`second ${text}`)
    await gate.promise
  })
  let isDone = false
  const publishing = first.publish('exam', 'a', 'everywhere').then(() => {
    isDone = true
  })
  await Bun.sleep(0)
  expect(received.sort()).toEqual(['main a', 'second a'])
  expect(isDone).toBe(false)
  gate.resolve()
  await publishing
  first.leave()
  await signals.publish('exam', 'b')
  expect(received).not.toContain('first b')
})

test('a process that is not of this machine is passed the texts of all that are', async () => {
  const carried: string[] = []
  const signals = openMachineSignals(async (topic, text, reach) => {
    carried.push(`${topic} ${text} ${reach}`)
  })
  const member = signals.join(async () => {})
  await signals.publish('exam', '1')
  await member.publish('exam', '2', 'machine')
  // What came from there is not sent back.
  await signals.deliver('exam', '3')
  expect(carried).toEqual(['exam 1 everywhere', 'exam 2 machine'])
})
