import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Signals } from '../../src/ports/signals.ts'

/** What every driver must do while its wire is whole. */
export function signalsConformance(driver: string, open: () => Promise<Signals>): void {
  describe(`${driver} signals`, () => {
    let signals: Signals
    beforeEach(async () => {
      signals = await open()
    })
    afterEach(() => signals.close())

    test('everyone who listens to a topic hears what is published there, in order', async () => {
      const one: string[] = []
      const two: string[] = []
      signals.subscribe('exam.a', (text) => one.push(text))
      signals.subscribe('exam.a', (text) => two.push(text))
      for (const text of ['1', 'Grüße 😀', '']) signals.publish('exam.a', text)
      await settled(signals)
      expect(one).toEqual(['1', 'Grüße 😀', ''])
      expect(two).toEqual(one)
    })

    test('a listener hears nothing of other topics', async () => {
      const heard: string[] = []
      signals.subscribe('exam.a', (text) => heard.push(text))
      signals.publish('exam.b', 'b')
      signals.publish('exam.a', 'a')
      signals.publish('exam', 'prefix')
      await settled(signals)
      expect(heard).toEqual(['a'])
    })

    test('a listener that throws disturbs neither the publisher nor the others', async () => {
      const heard: string[] = []
      signals.subscribe('exam.a', () => {
        throw new Error('a bad listener')
      })
      signals.subscribe('exam.a', (text) => heard.push(text))
      signals.publish('exam.a', '1')
      signals.publish('exam.a', '2')
      await settled(signals)
      expect(heard).toEqual(['1', '2'])
    })

    endingExam(() => signals)

    test('publishing without listeners or after closing is harmless', async () => {
      const heard: string[] = []
      signals.publish('exam.nobody', '1')
      signals.subscribe('exam.a', (text) => heard.push(text))
      await signals.close()
      signals.publish('exam.a', 'late')
      await Bun.sleep(1)
      expect(heard).toEqual([])
    })
  })
}

function endingExam(signals: () => Signals): void {
  test('a listener that has ended its subscription hears no more, the others do', async () => {
    const ended: string[] = []
    const staying: string[] = []
    // The same function twice: ending one subscription must not end the other.
    const hear = (text: string) => staying.push(text)
    const end = signals().subscribe('exam.a', (text) => ended.push(text))
    const endTwin = signals().subscribe('exam.a', hear)
    signals().subscribe('exam.a', hear)
    signals().publish('exam.a', '1')
    await settled(signals())
    end()
    end()
    endTwin()
    signals().publish('exam.a', '2')
    await settled(signals())
    expect(ended).toEqual(['1'])
    expect(staying).toEqual(['1', '1', '2'])
  })

  test('one can listen to a topic again that everybody had left', async () => {
    const heard: string[] = []
    const end = signals().subscribe('exam.a', () => heard.push('old'))
    end()
    signals().subscribe('exam.a', (text) => heard.push(text))
    end()
    signals().publish('exam.a', 'new')
    await settled(signals())
    expect(heard).toEqual(['new'])
  })
}

/** Once this is over, whatever was published before it has been heard. */
async function settled(signals: Signals): Promise<void> {
  const heard = Promise.withResolvers<void>()
  const end = signals.subscribe('exam.settled', () => heard.resolve())
  signals.publish('exam.settled', '')
  await heard.promise
  end()
}
