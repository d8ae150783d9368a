"""What a storm of payments reports when a withdrawal is still on its way at its end."""

from bench.harness.payments.stuck import described


def test_a_withdrawal_that_is_stuck_is_described(withdraw, send_payouts, fake, payout_of, tmp_path):
    made, second = withdraw(10), withdraw(20)
    send_payouts()
    log = tmp_path / "server-1.log"
    log.write_text(f'{{"message":"other"}}\n{{"withdrawal":"{second["id"]}"}}\n')

    lines = described(fake, tmp_path)

    [start] = (number for number, line in enumerate(lines) if line.startswith(f"withdrawal {second['id']}"))
    assert "'status': 'sending'" in lines[start]
    assert lines[start + 1].startswith(f"  open payout to its address: Payout(id='{payout_of(made).id}'")
    assert lines[start + 2] == f'  {{"withdrawal":"{second["id"]}"}}'
