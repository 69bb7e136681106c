import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Signals } from '../../src/ports/signals.ts'
import { heardFrom } from '../support/deliveries/heard-from.ts'

/** What every driver must do that carries hints from process to process. */
export function relayedSignalsConformance(driver: string, open: () => Promise<Signals>): void {
  describe(`${driver} signals between processes`, () => {
    let here: Signals
    let there: Signals
    beforeEach(async () => {
      here = await open()
      there = await open()
      await heardFrom(here, there)
      await heardFrom(there, here)
    })
    afterEach(() => Promise.all([here.close(), there.close()]))

    test('others hear what is published, in order and as it was', async () => {
      const texts = ['1', 'Grüße 😀', '', '"\\\n\u0000', '\ud800', 'x'.repeat(5000), 'last']
      const heard: string[] = []
      there.subscribe('exam.a', (text) => heard.push(text))
      there.subscribe('exam.b', () => heard.push('another topic'))
      for (const text of texts) here.publish('exam.a', text)
      await heardFrom(here, there)
      expect(heard).toEqual(texts)
    })

    test('a publisher hears itself once, and not again from the wire', async () => {
      const heard: string[] = []
      here.subscribe('exam.a', (text) => heard.push(text))
      here.publish('exam.a', '1')
      await heardFrom(here, there)
      await heardFrom(there, here)
      expect(heard).toEqual(['1'])
    })

    test('many hints at once all arrive while the wire is whole', async () => {
      const heard: number[] = []
      there.subscribe('exam.a', (text) => heard.push(Number(text.slice(0, 4))))
      for (let at = 0; at < 900; at++) {
        here.publish('exam.a', String(at).padStart(4, '0') + 'y'.repeat(at))
      }
      await heardFrom(here, there)
      expect(heard).toEqual(Array.from({ length: 900 }, (_, at) => at))
    })

    test('a hint that is too long is lost alone', async () => {
      const heard: string[] = []
      there.subscribe('exam.a', (text) => heard.push(text))
      for (const text of ['before', 'z'.repeat(100_000), 'after']) here.publish('exam.a', text)
      await heardFrom(here, there)
      expect(heard).toEqual(['before', 'after'])
    })

    test('one that has closed hears nothing, and closing twice is harmless', async () => {
      const heard: string[] = []
      there.subscribe('exam.a', (text) => heard.push(text))
      await there.close()
      here.publish('exam.a', '1')
      await there.close()
      const third = await open()
      await heardFrom(here, third)
      await third.close()
      expect(heard).toEqual([])
    })

    test('last words before closing are heard', async () => {
      const heard = Promise.withResolvers<string>()
      there.subscribe('exam.a', heard.resolve)
      here.publish('exam.a', 'goodbye')
      await here.close()
      expect(await heard.promise).toBe('goodbye')
    })
  })
}
