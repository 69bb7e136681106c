import { complain } from './complain.ts'
import { harmlessText } from './harmless-text.ts'

/**
 * Asks before something that cannot be undone. `--yes` has answered already; where nobody can
 * answer, the program ends instead of going on.
 */
export async function confirm(question: string, { yes }: { yes?: boolean }): Promise<void> {
  if (yes) return
  const message = harmlessText(question)
  const canAnswer = process.stdin.isTTY === true && process.stderr.isTTY === true
  if (!canAnswer) {
    complain(`${message}\nNobody can be asked here: give --yes to do it.`, 'badInput')
  }
  const prompts = await import('@clack/prompts')
  const answer = await prompts.confirm({
    message,
    initialValue: false,
    output: process.stderr,
  })
  if (answer !== true) complain('Nothing was changed.', 'failed')
}
