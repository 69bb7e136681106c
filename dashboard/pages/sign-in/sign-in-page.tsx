import { useEffect } from 'preact/hooks'
import { Icon, Logo } from '../../parts/icon.tsx'
import { ThemeButton } from '../../shell/theme-button.tsx'
import { SignInForm } from './sign-in-form.tsx'
import { useSignIn } from './use-sign-in.ts'
import { Water } from './water.tsx'

const OWN_MACHINE = ['localhost', '127.0.0.1', '[::1]']

/** The door: a team's token, or the link that local development prints. */
export default function SignInPage() {
  useEffect(() => {
    document.title = 'Sign in · Headgate'
  }, [])
  const signingIn = useSignIn()
  const isOwnMachine = OWN_MACHINE.includes(location.hostname)
  return (
    <div class="door">
      <Water />
      <header>
        <a class="brand" href="/">
          <Logo />
          Headgate
        </a>
        <ThemeButton />
      </header>
      <main id="main">
        <div class="panel">
          <div class="hd">
            <h1>Open the gate</h1>
            <p class="quiet">
              Sign in to <span class="strong">{location.host}</span> with your team’s token.
            </p>
          </div>
          {isOwnMachine && <LocalLink />}
          <SignInForm {...signingIn} />
          <p class="hint">
            The token stays on the server: this browser keeps a session cookie that scripts can’t
            read.
          </p>
        </div>
      </main>
    </div>
  )
}

/** Only the terminal has the link, so that no other program on the machine signs in. */
function LocalLink() {
  return (
    <div class="local">
      <div class="row top">
        <Icon name="flask" />
        <div>
          <b class="strong">On your own machine?</b>
          <p class="quiet small">
            In local development no token is needed: open the link that the terminal printed behind{' '}
            <span class="ic">dashboard</span>. It is good until the next start.
          </p>
        </div>
      </div>
    </div>
  )
}
