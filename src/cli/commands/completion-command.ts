import { Argument, type Command } from 'commander'
import { examples } from '../frame/examples.ts'

type Shell = 'bash' | 'zsh' | 'fish'

const SHELLS: readonly Shell[] = ['bash', 'zsh', 'fish']

export function addCompletionCommand(program: Command): void {
  const command = program
    .command('completion')
    .description('print the script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell that is to complete').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../frame/completion/completion-script.ts')
      const { openTerminal } = await import('../terminal/terminal.ts')
      openTerminal({}).say(completionScript(program, shell).trimEnd())
    })
  examples(command, [
    ['eval "$(headgate completion bash)"', 'in ~/.bashrc'],
    ['eval "$(headgate completion zsh)"', 'in ~/.zshrc, below compinit'],
    ['headgate completion fish | source', 'in ~/.config/fish/config.fish'],
  ])
}
