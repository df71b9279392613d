# Sent to the perl that starts in the agent's place (first-command.ts). A child looks around (look-around.pl) and ends, so that nothing of the look,
# no socket, alarm or namespace, is left in this process. Then it waits, for a command to become, or for the end of standard input, to end.
use strict;

my $look = take(take(8));
@ARGV = split / /, take(take(8));

defined(my $child = fork) or die "fork: $!\n";
if ($child == 0) {
  eval $1 if $look =~ /(.*)/s;
  die $@ if $@;
  exit;
}
waitpid $child, 0;
exit($? & 127 ? 128 + ($? & 127) : $? >> 8) if $?;

# The command's standard input: what came by the named pipe until here could not be opened again, as /dev/stdin. 1032 asks how much it holds.
pipe my $output, my $input or die "pipe: $!\n";
my $room = fcntl($output, 1032, 0) // 0;
syswrite STDOUT, 'ready ' . ($room + 0) . "\n";

my ($mark, $count, @words) = split /\0/, take(take(8)), -1;
my $text = take(take(8));
for (splice @words, 0, $count) {
  my ($name, $value) = split /=/, $_, 2;
  $ENV{$name} = $value;
}
if ($text eq '') { open STDIN, '<', '/dev/null' or die "/dev/null: $!\n" }
else { (syswrite($input, $text) // 0) == length $text && open STDIN, '<&', $output or die "standard input: $!\n" }
# What perl itself warned of until here is not the command's.
syswrite STDERR, $mark;
$SIG{__WARN__} = sub { };
{ exec { $words[0] } @words }
my ($error, $reason) = ($! + 0, "$!");
syswrite STDERR, "$words[0]: $reason\n";
exit($error == 2 ? 127 : 126);
