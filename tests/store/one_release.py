"""A process of one release: `python one_release.py FOLDER URL` does what it reads, with the `domain` of that folder.

The lines are `open` for a new game, `play GAME ACTIONS` for random actions, of which some are taken back, and `audit
GAME`. The answers are the id of the game, its version, and `ok` or what is wrong.
"""

import asyncio
import sys
from random import Random
from uuid import UUID


async def serve(url: str) -> None:
    from domain.actions import Resign
    from domain.decide import legal_actions
    from domain.modules import GameOptions
    from domain.store import Answer, Commit, GameService, commands, open_service

    commits: list[Commit] = []
    random = Random(7)

    def render(commit: Commit) -> Answer:
        commits.append(commit)
        return Answer(200, commit.version, "", b"")

    async def play(service: GameService, game: UUID) -> None:
        now = (await service.load(game)).game
        assert now is not None
        assert now.to_play is not None
        actions = [legal.action for legal in legal_actions(now) if not isinstance(legal.action, Resign)]
        await service.change(game, commands.act(now.to_play, random.choice(actions)), render)
        if random.random() < 0.2:
            await service.change(game, commands.undo(None), render)

    async with open_service(url) as service:
        while line := (await asyncio.to_thread(sys.stdin.readline)).split():
            if line[0] == "open":
                await service.open_table(2, ["Ann", "Bob"], GameOptions(seed=3, undo="free"), render)
                answer = str(commits[-1].loaded.id)
            elif line[0] == "play":
                for _ in range(int(line[2])):
                    await play(service, UUID(line[1]))
                answer = str(commits[-1].version)
            else:
                audit = await service.audit(UUID(line[1]))
                answer = f"{'ok' if audit.ok else audit.first_difference} {audit.events}"
            sys.stdout.write(answer + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    asyncio.run(serve(sys.argv[2]))
