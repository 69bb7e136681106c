import type { Command } from 'commander'
import { bashCompletion } from './bash-completion.ts'
import { commandTree } from './command-tree.ts'
import { fishCompletion } from './fish-completion.ts'
import { zshCompletion } from './zsh-completion.ts'

const SCRIPTS = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const

/** The completion script of a shell, made from the commands that the program has. */
export function completionScript(program: Command, shell: keyof typeof SCRIPTS): string {
  return SCRIPTS[shell](commandTree(program))
}
